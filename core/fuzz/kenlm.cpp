// A binary of KenLM: scored in place by every way, asked as the module of KenLM, and turned into our own form.
#include "fuzz/models.hpp"
#include "ngram/kenlm/module.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace bitmeter;
    if (size == 0) return 0;
    fuzz::refused([&] {
        PageBlock block = PageBlock::zeros(size - 1);
        std::copy(data + 1, data + size, block.data());
        const KenlmModel model(std::move(block));
        // A head may name more words than the file lists, within its hash tables; rows of predictions have an entry for each.
        if (model.words() > (1u << 20)) return;
        fuzz::refused([&] { model.verify(); });
        fuzz::ask_words(model);
        const Bytes text = fuzz::bytes_of(fuzz::sample_text());
        for (const ModuleEdges edges : {ModuleEdges{true, true}, ModuleEdges{false, false}})
            fuzz::refused([&] {
                module_total(model, text, edges);
                module_scores(model, text, edges);
                ModuleTotal totals[2];
                const Bytes both[2] = {text, text};
                module_totals(model, both, 2, edges, totals);
                KenlmState state = module_begin(model);
                for (std::uint32_t code = 0; code < std::min(model.bound(), 40u); ++code) {
                    module_step(model, state, code, state);
                    if (!module_holds(model, state)) __builtin_trap();
                }
            });
        fuzz::refused([&] {
            const auto fast = model.expanded(1 << 16, 1);
            fast->verify();
            fuzz::ask(*fast);
        });
    });
    return 0;
}

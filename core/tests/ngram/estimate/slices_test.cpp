// An estimation in slices gives the bytes of one that has all in one place; whatever the files between its stages hold, each
// stage ends, with an error of its own or without, and reads nothing outside of them.
#include "ngram/estimate/slices/slices.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>

#include "ngram/sort/runs.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

/// The stages of one text, with files in the working directory.
class Slices {
public:
    Slices(const NgramText& text, int order, const SmoothingPlan& smoothing, std::vector<std::uint32_t> cuts,
           const NgramText* heldout = nullptr)
        : text_(text), heldout_(heldout), estimator_(text, order, 1) {
        plan = {".", 12345, 0, text.table().size(), order, std::move(cuts), smoothing};
        plan.smoothing.closed = text.closed();
        plan.check();
        const LastChain last = text.chain(order);
        chain_.assign(last.words.begin(), last.words.begin() + (last.empty() ? 0 : order));
    }
    ~Slices() {
        for (const auto& name : files) std::remove(name.c_str());
    }

    void merge() {
        const std::vector<std::uint32_t> ids(text_.ids().begin(), text_.ids().end());
        const std::size_t made = write_runs({ids, plan.words, plan.order, plan.cuts, 1, 0}, "slices_run", watch_);
        std::vector<std::string> runs;
        for (std::size_t r = 0; r < made; ++r) runs.push_back(file("slices_run", r, '.'));
        each([&](std::size_t s) { merge_runs(runs, plan.words, plan.order, s, file("slices_merged", s), watch_); });
    }
    void grow() {
        kept_.clear();
        each([&](std::size_t s) {
            kept_.push_back(grow_slice(plan, s, file("slices_merged", s), file("grown", s), watch_).kept);
        });
    }
    void link() {
        kinds_.assign(static_cast<std::size_t>(plan.order - 1), {});
        last_.assign(static_cast<std::size_t>(plan.order - 2), 0);
        each([&](std::size_t s) {
            const LinkedSlice found = link_slice(plan, s, chain_, file("linked", s), watch_);
            for (std::size_t o = 0; o < kinds_.size(); ++o)
                for (std::size_t j = 0; j < kinds_[o].size(); ++j) kinds_[o][j] += found.kinds[o][j];
            for (std::size_t o = 0; o < last_.size(); ++o) last_[o] = std::max(last_[o], found.last[o]);
        });
    }
    void settle() {
        estimator_.settle(plan, kinds_, last_, heldout_);
        plan.settled = 678;
        estimator_.weigh_words(plan, file("weighed-words"));
    }
    void weigh(int order) {
        each([&](std::size_t s) {
            weigh_slice(plan, order, s, estimator_.statistics(), file("weighed-" + std::to_string(order), s), watch_);
        });
    }
    void finish() {
        each([&](std::size_t s) { finish_slice(plan, s, kept_, file("finished", s)); });
    }
    std::vector<std::uint8_t> join() {
        estimator_.join(plan, kept_);
        const auto model = estimator_.model(texts::metadata);
        return {model->bytes().data, model->bytes().data + model->bytes().size};
    }
    /// All stages from one on: 0 is growing, 1 linking, 2 settling, then the orders from 2 on, finishing and joining.
    std::vector<std::uint8_t> run(int from = -1) {
        if (from < 0) merge();
        if (from <= 0) grow();
        if (from <= 1) link();
        if (from <= 2) settle();
        for (int o = 2; o <= plan.order; ++o)
            if (from <= o + 1) weigh(o);
        if (from <= plan.order + 2) finish();
        return join();
    }

    SlicePlan plan;
    std::vector<std::string> files;

private:
    template <class Run>
    void each(Run&& run) {
        for (std::size_t s = 0; s < plan.slices(); ++s) run(s);
    }
    std::string file(std::string name) {
        if (std::find(files.begin(), files.end(), name) == files.end()) files.push_back(name);
        return name;
    }
    std::string file(const std::string& name, std::size_t slice, char between = '-') {
        return file(name + between + std::to_string(slice));
    }

    const NgramText& text_;
    const NgramText* heldout_;
    NgramEstimator estimator_;
    Watch watch_;
    std::vector<std::uint32_t> chain_;
    std::vector<std::vector<std::uint64_t>> kept_;
    std::vector<std::array<std::uint64_t, most_discounted + 2>> kinds_;
    std::vector<std::uint32_t> last_;
};

/// So many slices, some of them of one word.
std::vector<std::uint32_t> cuts_of(std::uint64_t words, std::size_t slices) {
    std::vector<std::uint32_t> cuts{0};
    for (std::size_t s = 1; s < slices; ++s)
        cuts.push_back(std::max(cuts.back() + 1, static_cast<std::uint32_t>(words * s * s / (slices * slices))));
    cuts.push_back(static_cast<std::uint32_t>(words));
    return cuts;
}

std::vector<std::uint8_t> whole(const NgramText& text, int order, const SmoothingPlan& plan, const NgramText* heldout) {
    const auto model = texts::trained(text, order, plan, 1, heldout);
    return {model->bytes().data, model->bytes().data + model->bytes().size};
}

void slices_give_what_the_whole_gives() {
    const NgramText heldout = texts::text_of("w1 w2 w3 w1\nw0 w9 w1 never\n\nw3 w3 w0 w0 w1\n");
    for (const std::size_t lines : {1, 3, 400}) {
        const NgramText text = texts::text_of("w1 w0\n" + texts::made_up(lines, 40));
        for (const char* name : {"modified-kneser-ney", "kneser-ney", "absolute", "witten-bell", "maximum-likelihood",
                                 "lidstone", "stupid-backoff", "jelinek-mercer"})
            for (const int order : {2, 3, 4, 6})
                for (const bool pruned : {false, true})
                    for (const std::size_t slices : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
                        SmoothingPlan plan;
                        plan.method = smoothing_named(name);
                        if (plan.method == Smoothing::lidstone || plan.method == Smoothing::stupid_backoff) plan.parameter = 0.4;
                        if (pruned) std::fill(plan.prune.begin() + 1, plan.prune.begin() + order, 1u);
                        if (slices > text.table().size()) continue;
                        const bool learns = plan.method == Smoothing::jelinek_mercer ||
                                            (plan.method == Smoothing::modified_kneser_ney && slices == 2);
                        const NgramText* held = learns ? &heldout : nullptr;
                        Slices in_slices(text, order, plan, cuts_of(text.table().size(), slices), held);
                        CHECK(in_slices.run() == whole(text, order, plan, held));
                    }
    }
}

std::vector<std::uint8_t> bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::vector<std::uint8_t>& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::uint64_t number_at(const std::vector<std::uint8_t>& bytes, std::size_t at) {
    std::uint64_t value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t value) {
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Where the header has the number of entries, the table and its checksum, and an entry its offset, size and checksum.
constexpr std::size_t entries_at = 32, table_at = 40, sum_at = 48, entry_size = 40, offset_in = 16, size_in = 24, sum_in = 32;

/// All checksums made right again.
void seal(std::vector<std::uint8_t>& bytes) {
    const std::uint64_t entries = number_at(bytes, entries_at), table = number_at(bytes, table_at);
    for (std::uint64_t e = 0; e < entries; ++e) {
        const std::size_t at = table + e * entry_size;
        put(bytes, at + sum_in, block_checksum(bytes.data() + number_at(bytes, at + offset_in), number_at(bytes, at + size_in)));
    }
    put(bytes, sum_at, block_checksum(bytes.data() + table, entries * entry_size));
}

enum class Ended { same, other, refused };

/// What becomes of the stages from one on.
Ended ended(Slices& slices, int from, const std::vector<std::uint8_t>& expected) {
    try {
        return slices.run(from) == expected ? Ended::same : Ended::other;
    } catch (const NgramFormatError&) {
        return Ended::refused;
    }
}

void strangers_files() {
    const NgramText text = texts::text_of(texts::made_up(40, 12));
    texts::Draws draw;
    const auto cuts = cuts_of(text.table().size(), 3);
    for (const bool pruned : {false, true}) {
        SmoothingPlan plan;
        if (pruned) plan.prune[2] = 1;
        const auto expected = whole(text, 3, plan, nullptr);
        struct Case {
            std::string name;
            int from;  // the first stage that reads it
        };
        for (const auto& [name, from] : {Case{"grown-1", 1}, {"linked-1", 2}, {"weighed-words", 3}, {"weighed-2-0", 4},
                                         {"weighed-3-2", 5}, {"finished-1", 6}}) {
            Slices slices(text, 3, plan, cuts);
            CHECK(slices.run() == expected);
            const auto sound = bytes_of(name);
            const std::uint64_t entries = number_at(sound, entries_at), table = number_at(sound, table_at);
            // Without the checksums made right, nothing that is read passes.
            for (const std::size_t left : {std::size_t{0}, std::size_t{20}, std::size_t{table}, sound.size() - 1}) {
                write(name, {sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(left)});
                CHECK(ended(slices, from, expected) == Ended::refused);
            }
            for (int i = 0; i < 100; ++i) {
                auto other = sound;
                other[draw() % other.size()] ^= static_cast<std::uint8_t>(1 + draw() % 255);
                write(name, other);
                CHECK(ended(slices, from, expected) != Ended::other);
            }
            // With them, each array shortened, and with entries that are any numbers: the stages end, however.
            for (std::uint64_t e = 0; e < entries; ++e) {
                auto other = sound;
                const std::size_t at = table + e * entry_size;
                put(other, at + size_in, number_at(other, at + size_in) - 4);
                seal(other);
                write(name, other);
                ended(slices, from, expected);
                for (int i = 0; i < 12; ++i) {
                    other = sound;
                    const std::uint64_t offset = number_at(other, at + offset_in), size = number_at(other, at + size_in) / 4;
                    const std::uint32_t values[] = {0, 1, ~0u, static_cast<std::uint32_t>(draw() % 50),
                                                    static_cast<std::uint32_t>(draw())};
                    std::memcpy(other.data() + offset + 4 * (draw() % size), &values[draw() % 5], 4);
                    seal(other);
                    write(name, other);
                    ended(slices, from, expected);
                }
            }
            write(name, sound);
            CHECK(ended(slices, from, expected) == Ended::same);
        }
    }
}

}  // namespace

int main() {
    slices_give_what_the_whole_gives();
    strangers_files();
    return check::report();
}

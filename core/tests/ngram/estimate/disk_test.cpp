// The same model to the bit, however many runs are sorted, threads run, and wherever its arrays are.
#include <cstring>
#include <string>
#include <vector>

#include "ngram/estimate/estimate.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

NgramText text_of(const std::string& text, std::size_t block = 1 << 22, unsigned threads = 1) {
    return texts::text_of(text, texts::white, true, block, threads);
}

/// Lines of made-up words, some of many words and some of none.
std::string made_up(std::size_t lines, unsigned kinds, unsigned longest) {
    std::string result;
    texts::Draws draw;
    for (std::size_t i = 0; i < lines; ++i) {
        for (std::uint64_t words = draw() % longest, w = 0; w < words; ++w)
            result += "w" + std::to_string((draw() % kinds) * (draw() % kinds) / kinds) + (draw() % 5 ? " " : "  ");
        result += "\n";
    }
    return result;
}

std::unique_ptr<NgramModel> trained(const NgramText& text, int order, const NgramMeans& means) {
    NgramEstimator estimator(text, order, means);
    estimator.sort();
    if (means.most_keys && order > 1 && text.ids().size() > means.most_keys) CHECK(estimator.runs() > 1);
    estimator.grow();
    estimator.link();
    estimator.weigh();
    return estimator.model("{}");
}

bool same(const NgramModel& a, const NgramModel& b) {
    return a.bytes().size == b.bytes().size && std::memcmp(a.bytes().data, b.bytes().data, a.bytes().size) == 0;
}

void test_runs() {
    const std::string texts[] = {made_up(800, 60, 9), made_up(3, 5, 2000), std::string("a a a a a a a a a a a a\n"),
                                 std::string("\n\n\n\n"), std::string("one"), made_up(300, 70000, 12)};
    for (const auto& source : texts) {
        const auto text = text_of(source);
        for (int order : {1, 2, 3, 5, 9}) {
            PageStore memory;
            Watch watch(&memory);
            const auto plain = trained(text, order, {1, &memory, &watch});
            plain->verify();
            for (std::uint64_t most : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{500}})
                for (unsigned threads : {1u, 2u}) {
                    if (text.ids().size() / most > 150) continue;
                    PageStore disk(1, ".");  // no allowance at all: pages leave memory all the time
                    Watch other(&disk);
                    const auto model = trained(text, order, {threads, &disk, &other, most == 7, most});
                    CHECK(same(*plain, *model));
                }
        }
    }
}

void test_numbers_do_not_depend_on_threads() {
    // Long enough for several parts a block; words and ends fall on all kinds of borders.
    const std::string text = made_up(30000, 3000, 12) + made_up(2, 50000, 60000) + "the end";
    const auto plain = text_of(text);
    const std::vector<std::uint32_t> ids(plain.ids().begin(), plain.ids().end());
    for (std::size_t block : {std::size_t{1} << 22, std::size_t{300001}, std::size_t{131072}})
        for (unsigned threads : {2u, 5u}) {
            const auto other = text_of(text, block, threads);
            CHECK(other.sentences() == plain.sentences() && other.table().size() == plain.table().size());
            CHECK(std::equal(ids.begin(), ids.end(), other.ids().begin(), other.ids().end()));
        }
    // A reserved word is named with its sentence, whichever thread meets it.
    std::string bad = made_up(20000, 300, 12);
    const std::size_t place = bad.find('\n', bad.size() * 3 / 4) + 1;
    const auto sentence = static_cast<std::uint64_t>(std::count(bad.begin(), bad.begin() + static_cast<std::ptrdiff_t>(place), '\n')) + 1;
    bad.insert(place, "x </s> y ");
    for (unsigned threads : {1u, 4u}) {
        std::uint64_t found = 0;
        try {
            text_of(bad, 1 << 22, threads);
        } catch (const ReservedWord& error) {
            found = error.sentence;
        }
        CHECK(found == sentence);
    }
}

void test_a_stop_leaves_nothing_running() {
    const auto text = text_of(made_up(20000, 500, 12));
    for (int stop = 0; stop < 4; ++stop) {
        PageStore store;
        Watch watch(&store);
        int stages = 0;
        watch.set([&](double) {
            if (stages == stop) throw std::runtime_error("stop");
        });
        bool stopped = false;
        try {
            NgramEstimator estimator(text, 4, NgramMeans{2, &store, &watch});
            estimator.sort(), ++stages;
            estimator.grow(), ++stages;
            estimator.link(), ++stages;
            estimator.weigh(), ++stages;
        } catch (const std::runtime_error&) {
            stopped = true;
        }
        CHECK(stopped);
    }
}

}  // namespace

int main() {
    test_runs();
    test_numbers_do_not_depend_on_threads();
    test_a_stop_leaves_nothing_running();
    return check::report();
}

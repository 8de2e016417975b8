// N-grams that several processes sorted into files and merged are those of the whole text; no damaged file is read beyond.
#include "ngram/sort/runs.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <tuple>

#include "ngram/estimate/last_chain.hpp"
#include "tests/check.hpp"
#include "tests/texts.hpp"

using namespace bitmeter;

namespace {

using Seen = std::vector<std::tuple<std::uint32_t, std::vector<std::uint32_t>, std::uint64_t>>;

Seen all_of(const NgramKeys& keys, int order) {
    Seen seen;
    for (std::size_t bundle = 0; bundle < keys.bundles(); ++bundle) {
        std::vector<std::uint64_t> kinds(static_cast<std::size_t>(order) + 1);
        keys.visit(bundle, [&](std::uint32_t first, const std::uint32_t* codes, int length, int shared, std::uint64_t count) {
            for (int j = shared; j < length; ++j) ++kinds[static_cast<std::size_t>(j) + 2];
            seen.emplace_back(first, std::vector<std::uint32_t>(codes, codes + length), count);
        });
        for (int o = 2; o <= order; ++o) CHECK(keys.kinds(bundle, o) == kinds[static_cast<std::size_t>(o)]);
    }
    return seen;
}

/// Sentences of drawn words, each closed by word_end.
std::vector<std::uint32_t> drawn(std::size_t size, std::uint32_t words) {
    texts::Draws draw;
    std::vector<std::uint32_t> ids;
    while (ids.size() < size) ids.push_back(draw() % 7 ? static_cast<std::uint32_t>(word_end + 1 + draw() % (words - word_end - 1)) : word_end);
    ids.back() = word_end;
    return ids;
}

/// The places after which a sentence is over, near equal parts.
std::vector<std::size_t> sentence_cuts(const std::vector<std::uint32_t>& ids, std::size_t parts) {
    std::vector<std::size_t> cuts = {0};
    for (std::size_t p = 1; p < parts; ++p) {
        std::size_t at = std::max(cuts.back(), ids.size() * p / parts);
        while (at > 0 && at < ids.size() && ids[at - 1] != word_end) ++at;
        cuts.push_back(at);
    }
    cuts.push_back(ids.size());
    return cuts;
}

struct Files {
    std::vector<std::string> names;
    ~Files() {
        for (const auto& name : names) std::remove(name.c_str());
    }
};

void parts_give_what_the_whole_gives() {
    constexpr std::uint32_t words = 40;
    for (const std::size_t size : {1, 50, 3000})
        for (const int order : {2, 3, 5, 12}) {
            const auto ids = drawn(size, words);
            std::vector<std::uint32_t> counts(words);
            for (const std::uint32_t id : ids) ++counts[id];
            PageStore memory;
            Watch watch(&memory);
            const auto whole = all_of(*sorted_ngrams({ids, counts, order, 1, 0}, memory, watch), order);
            const LastChain chain = last_chain(ids, order);
            for (const std::size_t parts : {1, 2, 5}) {
                const std::vector<std::uint32_t> cuts = {0, 1, 7, 23, words};
                const auto borders = sentence_cuts(ids, parts);
                Files runs, merged;
                LastChain added;
                for (std::size_t p = 0; p < parts; ++p) {
                    const std::span<const std::uint32_t> part(ids.data() + borders[p], borders[p + 1] - borders[p]);
                    added.add(last_chain(part, order), order);
                    const std::string path = "runs_test." + std::to_string(p);
                    const std::size_t made = write_runs({part, words, order, cuts, 1, p % 2 ? 100u : 0u}, path, watch);
                    for (std::size_t r = 0; r < made; ++r) runs.names.push_back(path + "." + std::to_string(r));
                }
                CHECK(added.words == chain.words && added.times == chain.times);
                for (std::size_t partition = 0; partition + 1 < cuts.size(); ++partition) {
                    merged.names.push_back("runs_test.merged." + std::to_string(partition));
                    merge_runs(runs.names, words, order, partition, merged.names.back(), watch);
                }
                CHECK(all_of(*merged_ngrams(merged.names, words, order, 2, watch), order) == whole);
            }
        }
}

std::vector<char> bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& path, const std::vector<char>& bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void damage_is_an_error() {
    constexpr std::uint32_t words = 20;
    constexpr int order = 3;
    const auto ids = drawn(120, words);
    PageStore memory;
    Watch watch(&memory);
    Files files;
    files.names = {"runs_test.run.0", "runs_test.out", "runs_test.bad"};
    write_runs({ids, words, order, {0, words}, 1, 0}, "runs_test.run", watch);
    const auto sound = bytes_of(files.names[0]);
    merge_runs({files.names[0]}, words, order, 0, files.names[1], watch);
    const auto merged = bytes_of(files.names[1]);
    const auto refused = [&](bool as_run) {
        try {
            if (as_run)
                merge_runs({files.names[2]}, words, order, 0, files.names[1], watch);
            else
                all_of(*merged_ngrams({files.names[2]}, words, order, 1, watch), order);
        } catch (const NgramFormatError&) {
            return true;
        }
        return false;
    };
    for (const bool as_run : {true, false}) {
        const auto& bytes = as_run ? sound : merged;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            auto other = bytes;
            other[i] = static_cast<char>(other[i] ^ 0x41);
            write(files.names[2], other);
            CHECK(refused(as_run));
        }
        for (const std::size_t left : {std::size_t{0}, std::size_t{10}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
            write(files.names[2], {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(left)});
            CHECK(refused(as_run));
        }
    }
}

}  // namespace

int main() {
    parts_give_what_the_whole_gives();
    damage_is_an_error();
    return check::report();
}

// Matching statistics against a naive search, in one part and in many, and files that are not sound.
#include "overlap/search.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "overlap/index.hpp"
#include "tests/check.hpp"

using namespace bitmeter;

namespace {

Bytes bytes_of(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

template <class T>
void put(std::string& file, const std::vector<T>& values) {
    file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    file.append((overlap_alignment - file.size() % overlap_alignment) % overlap_alignment, '\0');
}

/// An index by sorting suffixes naively, in parts of so many bytes.
std::string index_of(const std::string& text, std::size_t part_bytes, std::uint64_t longest) {
    std::string file(overlap_header, '\0');
    std::vector<std::uint64_t> ends, parts;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\xff') ends.push_back(i);
    for (std::size_t begin = 0; begin < text.size(); begin += part_bytes) {
        const std::size_t end = std::min(text.size(), begin + part_bytes);
        parts.insert(parts.end(), {begin, end, std::min<std::size_t>(text.size(), end + longest)});
    }
    put(file, std::vector<char>(text.begin(), text.end()));
    put(file, ends);
    put(file, parts);
    put(file, std::vector<char>{'{', '}'});
    for (std::size_t p = 0; p < parts.size(); p += 3) {
        const std::string own = text.substr(parts[p], parts[p + 2] - parts[p]);
        std::vector<std::uint32_t> suffixes(own.size()), least;
        std::iota(suffixes.begin(), suffixes.end(), 0u);
        std::sort(suffixes.begin(), suffixes.end(), [&](std::uint32_t a, std::uint32_t b) { return own.substr(a) < own.substr(b); });
        for (std::size_t i = 0; i < suffixes.size(); i += overlap_row)
            least.push_back(*std::min_element(suffixes.begin() + static_cast<std::ptrdiff_t>(i),
                                              suffixes.begin() + static_cast<std::ptrdiff_t>(std::min(suffixes.size(), i + overlap_row))));
        put(file, suffixes);
        put(file, least);
    }
    const std::string path = "overlap_test.bmi";
    std::FILE* out = std::fopen(path.c_str(), "wb");
    CHECK(out && std::fwrite(file.data(), 1, file.size(), out) == file.size());
    std::fclose(out);
    const auto header = overlap_seal(path, {text.size(), ends.size(), parts.size() / 3, longest, 2});
    std::copy(header.begin(), header.end(), file.begin());
    std::remove(path.c_str());
    return file;
}

PageBlock block_of(const std::string& file) {
    PageBlock block = PageBlock::zeros(file.size());
    std::copy(file.begin(), file.end(), block.data());
    return block;
}

std::uint32_t naive(const std::string& corpus, const std::string& text, std::size_t at, std::uint64_t longest, bool own) {
    std::size_t best = 0;
    for (std::size_t p = 0; p < corpus.size(); ++p) {
        if (own && p == at) continue;
        std::size_t k = 0;
        while (k < longest && at + k < text.size() && p + k < corpus.size() && text[at + k] == corpus[p + k] && text[at + k] != '\xff') ++k;
        best = std::max(best, k);
    }
    return static_cast<std::uint32_t>(best);
}

void test_lengths(std::mt19937& random) {
    for (int round = 0; round < 60; ++round) {
        std::string corpus, text;
        const std::size_t letters = 1 + random() % 3;
        for (std::size_t i = random() % 300; i > 0; --i) corpus += random() % 20 ? static_cast<char>('a' + random() % letters) : '\xff';
        corpus += '\xff';
        for (std::size_t i = random() % 100; i > 0; --i) text += random() % 30 ? static_cast<char>('a' + random() % letters) : '\xff';
        for (std::size_t part : {std::size_t{1000}, std::size_t{37}}) {
            const OverlapIndex index(block_of(index_of(corpus, part, 90)));
            index.verify();
            for (const bool own : {false, true}) {
                const std::string& query = own ? corpus : text;
                std::vector<std::uint32_t> found(query.size());
                const OverlapText asked{bytes_of(query), own ? 0 : overlap_foreign};
                overlap_lengths(index, asked, 0, query.size(), 1, found.data());
                for (std::size_t i = 0; i < query.size(); ++i) {
                    CHECK(found[i] == naive(corpus, query, i, 90, own));
                    if (own || found[i] == 0) continue;
                    CHECK(overlap_first(index, asked, i, found[i]) == corpus.find(query.substr(i, found[i])));
                }
            }
        }
    }
}

/// Long runs of one byte, where all suffixes are alike: the time stays bounded.
void test_runs() {
    const std::string corpus = std::string(2000, 'a') + "b" + std::string(3000, 'a') + '\xff';
    const OverlapIndex index(block_of(index_of(corpus, 1 << 20, 1 << 20)));
    const std::string text(4000, 'a');
    std::vector<std::uint32_t> found(text.size());
    overlap_lengths(index, {bytes_of(text)}, 0, text.size(), 1, found.data());
    for (std::size_t i = 0; i < text.size(); ++i) CHECK(found[i] == std::min<std::size_t>(3000, text.size() - i));
}

bool refused(std::string file) {
    try {
        const OverlapIndex index(block_of(file));
        index.verify();
        return false;
    } catch (const OverlapFormatError&) {
        return true;
    }
}

void test_hostile() {
    const std::string sound = index_of("to be\xff" "or not\xff", 1000, 64);
    CHECK(!refused(sound));
    for (std::size_t i = 0; i < sound.size(); ++i) {
        if (i >= 88 && i < overlap_header) continue;  // behind the fields of the header
        std::string bad = sound;
        bad[i] = static_cast<char>(bad[i] ^ 1);
        CHECK(refused(bad));
    }
    for (std::size_t size : {std::size_t{0}, std::size_t{50}, sound.size() - 1}) CHECK(refused(sound.substr(0, size)));
}

}  // namespace

int main() {
    std::mt19937 random(7);
    test_lengths(random);
    test_runs();
    test_hostile();
    return check::report();
}

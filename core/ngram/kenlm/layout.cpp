#include "ngram/kenlm/layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "util/once.hpp"

namespace bitmeter {
namespace {

constexpr char before_version[] = "mmap lm http://kheafield.com/code format version";
constexpr char unfinished[] = "mmap lm http://kheafield.com/code incomplete\n";
constexpr char whole_magic[] = "mmap lm http://kheafield.com/code format version 5\n";
constexpr std::size_t magic_size = 56, sanity_size = 88, fixed_size = 20;
// More n-grams than any file holds, and few enough that no size overflows.
constexpr std::uint64_t most_ngrams = std::uint64_t{1} << 40, most_words = (std::uint64_t{1} << 31) - 8;
constexpr unsigned most_quantised_bits = 25;

[[noreturn]] void refuse(const std::string& what) { throw NgramFormatError(what); }

constexpr const char* again = "build it again on this machine with KenLM's build_binary, or give the ARPA file";

template <class T>
T at(Bytes file, std::uint64_t offset) {
    T value;
    std::memcpy(&value, file.data + offset, sizeof value);
    return value;
}

/// The values by which KenLM sees that a file is of its kind of machine, all in the machine's own byte order.
void check_sanity(Bytes file) {
    struct Values {
        float zero, one, minus_half;
        std::uint32_t first_word, last_word, padding;
        std::uint64_t one_long;
    } found;
    static_assert(sizeof found == sanity_size - magic_size);
    std::memcpy(&found, file.data + magic_size, sizeof found);
    const Values expected{0.0f, 1.0f, -0.5f, 1, ~std::uint32_t{0}, 0, 1};
    if (std::endian::native != std::endian::little)
        refuse("binaries of KenLM are read on little-endian machines only; convert it on one, or give the ARPA file");
    if (std::memcmp(&found, &expected, sizeof found) != 0)
        refuse(std::string("the test values of its head are those of another machine or compiler; ") + again);
}

void check_magic(Bytes file) {
    const std::string_view head(reinterpret_cast<const char*>(file.data), std::min(file.size, magic_size));
    if (head.starts_with(unfinished)) refuse("KenLM did not finish it; run build_binary again");
    if (!head.starts_with(before_version)) refuse("it does not begin as a binary of KenLM does");
    if (head.size() < magic_size || file.size < sanity_size + fixed_size)
        refuse("it is cut short within its head; fetch it again");
    if (!head.starts_with(whole_magic))
        refuse(std::string("it is of another version of KenLM's format than 5, the one that is read; ") + again);
}

unsigned bits_for(std::uint64_t most) { return static_cast<unsigned>(std::bit_width(most)); }

/// The buckets of a hash table. KenLM multiplies in single precision, and so must we.
std::uint64_t buckets_for(std::uint64_t entries, float multiplier) {
    const float wanted = multiplier * static_cast<float>(entries);
    return std::max(entries + 1, static_cast<std::uint64_t>(wanted));
}

/// How many of the high bits of children's indices go into an array: as many as save most, up to a limit.
unsigned array_bits(std::uint64_t entries, std::uint64_t most_child, unsigned limit) {
    const unsigned needed = bits_for(most_child);
    unsigned best = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (unsigned taken = 0; taken <= std::min(needed, limit); ++taken) {
        const std::uint64_t kept = needed - taken;
        const std::uint64_t rows = kept >= 64 ? 0 : most_child >> kept;
        const std::int64_t cost = static_cast<std::int64_t>(rows * 64) - static_cast<std::int64_t>(entries * taken);
        if (cost < least) {
            least = cost;
            best = taken;
        }
    }
    return best;
}

/// Fills in the parts one after the other, and never beyond the end of the file.
class Placing {
public:
    Placing(Bytes file, KenlmLayout& layout) : file_(file), layout_(layout) {}

    std::uint64_t take(std::uint64_t bytes) {
        const std::uint64_t from = at_;
        if (bytes > file_.size || from > file_.size - bytes)
            refuse("its head speaks of more bytes than the file has; it is cut short: fetch it again");
        at_ += bytes;
        return from;
    }

    void probing(float multiplier) {
        const bool rest = layout_.kind == KenlmKind::rest_probing;
        layout_.unigram_width = rest ? 12 : 8;
        layout_.entry_width = rest ? 20 : 16;
        layout_.longest_width = 12;
        layout_.vocabulary_head = take(8);
        layout_.vocabulary_buckets = buckets_for(layout_.counts[0], multiplier);
        layout_.vocabulary = take(layout_.vocabulary_buckets * 12);
        layout_.unigrams = take((layout_.counts[0] + 1) * layout_.unigram_width);
        for (unsigned o = 2; o <= layout_.order; ++o) {
            KenlmPart& part = layout_.parts[o - 1];
            part.entries = layout_.counts[o - 1];
            part.buckets = buckets_for(part.entries, multiplier);
            part.offset = take(part.buckets * (o < layout_.order ? layout_.entry_width : layout_.longest_width));
        }
    }

    void trie() {
        layout_.vocabulary_head = take(8);
        layout_.vocabulary = take(layout_.counts[0] * 8);
        layout_.unigram_width = 16;
        if (is_quantised(layout_.kind)) quantised();
        layout_.unigrams = take((layout_.counts[0] + 2) * layout_.unigram_width);
        unsigned limit = 0;
        for (unsigned o = 2; o < layout_.order; ++o) middle(o, limit);
        KenlmPart& last = layout_.parts[layout_.order - 1];
        last.entries = layout_.counts[layout_.order - 1];
        last.value_bits = is_quantised(layout_.kind) ? layout_.logprob_bits : 31;
        packed(last);
    }

    std::uint64_t reached() const { return at_; }
    void start(std::uint64_t offset) { at_ = offset; }

private:
    void packed(KenlmPart& part) {
        part.word_bits = bits_for(layout_.counts[0]);
        part.total_bits = part.word_bits + part.value_bits + part.inline_bits;
        // One entry more, for where the last one's children end; and what a load of eight bytes may touch behind it.
        part.offset = take(((part.entries + 1) * part.total_bits + 7) / 8 + 8);
    }

    void middle(unsigned o, unsigned& limit) {
        KenlmPart& part = layout_.parts[o - 1];
        part.entries = layout_.counts[o - 1];
        const std::uint64_t most_child = layout_.counts[o];
        part.inline_bits = bits_for(most_child);
        part.value_bits = is_quantised(layout_.kind) ? layout_.logprob_bits + layout_.backoff_bits : 63;
        if (has_arrays(layout_.kind)) {
            const std::uint64_t here = at_;
            if (o == 2) {
                take(2);
                if (once(file_.data[here]) != 0) refuse(std::string("its arrays are of another version of KenLM; ") + again);
                limit = once(file_.data[here + 1]);
                at_ = here;
            }
            const unsigned taken = array_bits(part.entries + 1, most_child, limit);
            part.inline_bits -= taken;
            part.array_size = (part.inline_bits >= 64 ? 0 : most_child >> part.inline_bits) + 1;
            take(8 * (1 + part.array_size) + 7);
            part.array = (here + 7) / 8 * 8 + 8;
        }
        packed(part);
    }

    void quantised() {
        const std::uint64_t head = take(8);
        if (once(file_.data[head]) != 2) refuse(std::string("its figures are quantised by another version of KenLM; ") + again);
        layout_.logprob_bits = once(file_.data[head + 1]);
        layout_.backoff_bits = once(file_.data[head + 2]);
        for (unsigned bits : {layout_.logprob_bits, layout_.backoff_bits})
            if (bits < 1 || bits > most_quantised_bits) refuse("its quantised figures have no bits, or more than 25");
        for (unsigned o = 2; o <= layout_.order; ++o) {
            layout_.parts[o - 1].logprobs = take(std::uint64_t{4} << layout_.logprob_bits);
            if (o < layout_.order) layout_.parts[o - 1].backoffs = take(std::uint64_t{4} << layout_.backoff_bits);
        }
    }

    Bytes file_;
    KenlmLayout& layout_;
    std::uint64_t at_ = 0;
};

}  // namespace

const char* kenlm_kind_name(KenlmKind kind) {
    static constexpr const char* names[] = {"probing", "probing with rest costs", "trie", "quantised trie",
                                            "trie with arrays", "quantised trie with arrays"};
    return names[static_cast<std::uint32_t>(kind)];
}

KenlmLayout KenlmLayout::of(Bytes file) {
    check_magic(file);
    check_sanity(file);
    KenlmLayout result;
    const std::uint64_t fixed = sanity_size;
    result.order = once(at<std::uint8_t>(file, fixed));
    const float multiplier = at<float>(file, fixed + 4);
    const std::uint32_t kind = once(at<std::uint32_t>(file, fixed + 8)), version = at<std::uint32_t>(file, fixed + 16);
    result.has_words = at<std::uint8_t>(file, fixed + 12) != 0;
    if (kind > static_cast<std::uint32_t>(KenlmKind::quantised_array_trie))
        refuse("its data structure has the number " + std::to_string(kind) + ", which KenLM does not have");
    result.kind = static_cast<KenlmKind>(kind);
    if (version != (is_probing(result.kind) ? 0u : 1u))
        refuse(std::string("its data structure is of another version of KenLM; ") + again);
    if (result.order < 2 || result.order > max_order) refuse("its order is not between 2 and 16");
    if (!(multiplier >= 1.0f && multiplier <= 1e6f)) refuse("its hash tables have an impossible size");
    const std::uint64_t counts = fixed + fixed_size, head = (counts + 8 * result.order + 7) / 8 * 8;
    if (file.size < head) refuse("it is cut short within its head; fetch it again");
    for (unsigned o = 0; o < result.order; ++o) {
        result.counts[o] = once(at<std::uint64_t>(file, counts + 8 * o));
        if (result.counts[o] > (o == 0 ? most_words : most_ngrams)) refuse("it counts more n-grams than any file holds");
    }
    if (result.counts[0] == 0) refuse("it has no words");
    Placing placing(file, result);
    placing.start(head);
    if (is_probing(result.kind))
        placing.probing(multiplier);
    else
        placing.trie();
    result.end = placing.reached();
    return result;
}

}  // namespace bitmeter

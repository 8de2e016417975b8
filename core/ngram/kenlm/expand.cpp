// From a binary of KenLM to our fast form.
//
// A trie holds the words of its n-grams. Hash tables hold only keys, made of the numbers of the words one after the other;
// which words they were is found by trying: an n-gram w1…wn is in the file only if w1…w(n-1) is, with something after it,
// and w2…wn, with something before it. So only pairs of shorter n-grams that overlap in the middle are tried. That
// succeeds if every key is found; for a large vocabulary there are too many pairs, which is said before the work begins.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include "ngram/format/arpa.hpp"
#include "ngram/kenlm/model.hpp"
#include "util/parallel.hpp"

namespace bitmeter {
namespace {

bool has_extension(float backoff) { return std::bit_cast<std::uint32_t>(backoff) != 0x80000000u; }

/// Hands n-grams on by the ids of their words, with sound figures.
class Handing {
public:
    Handing(const KenlmModel& model, ArpaReader& reader) : model_(model), reader_(reader) {}

    /// `codes` from the last word to the first.
    void take(const std::uint32_t* codes, unsigned length, const KenlmEntry& entry) {
        std::uint32_t words[max_order];
        for (unsigned i = 0; i < length; ++i) {
            if (codes[i] >= model_.bound()) throw NgramFormatError("an n-gram has a word that the model does not have");
            words[length - 1 - i] = model_.id_of(codes[i]);
        }
        check(entry);
        if (++taken_[length - 1] > model_.layout().counts[length - 1] && !is_probing(model_.kind()))
            throw NgramFormatError("an n-gram is the child of two others; fetch it or build it again");
        reader_.take(words, static_cast<int>(length), entry.logprob, entry.backoff + 0.0f);  // minus zero becomes zero
    }
    static void check(const KenlmEntry& entry) {
        if (std::isnan(entry.logprob) || std::isnan(entry.backoff) || entry.backoff == HUGE_VALF)
            throw NgramFormatError("a probability or a back-off in it is not a number; fetch it or build it again");
    }

private:
    const KenlmModel& model_;
    ArpaReader& reader_;
    std::uint64_t taken_[max_order] = {};
};

void take_children(const KenlmTrie& trie, unsigned order, unsigned highest, const KenlmTrie::Node& node, std::uint32_t* codes,
                   Handing& to) {
    for (std::uint64_t place = node.begin; place < node.end; ++place) {
        KenlmTrie::Node below;
        const KenlmEntry own = trie.at(order, place, below);
        codes[order - 1] = trie.word(order, place);
        to.take(codes, order, own);
        if (order < highest) take_children(trie, order + 1, highest, below, codes, to);
    }
}

/// N-grams of one order, found in a hash table: their words from the last to the first, and their keys.
struct Found {
    unsigned length = 0;
    std::vector<std::uint32_t> codes;
    std::vector<std::uint64_t> keys;
    std::vector<KenlmEntry> entries;

    std::size_t size() const { return keys.size(); }
    const std::uint32_t* words(std::size_t i) const { return codes.data() + i * length; }
    void add(const Found& other) {
        codes.insert(codes.end(), other.codes.begin(), other.codes.end());
        keys.insert(keys.end(), other.keys.begin(), other.keys.end());
        entries.insert(entries.end(), other.entries.begin(), other.entries.end());
    }
};

std::uint64_t key_of(const std::uint32_t* codes, unsigned length) {
    std::uint64_t key = codes[0];
    for (unsigned i = 1; i < length; ++i) key = KenlmProbing::longer(key, codes[i]);
    return key;
}

/// Histories by what they end in without their first word: those whose first words may stand before it.
class Histories {
public:
    explicit Histories(const Found& shorter) {
        for (std::size_t i = 0; i < shorter.size(); ++i) {
            if (!has_extension(shorter.entries[i].backoff)) continue;
            const std::uint32_t* words = shorter.words(i);
            const std::uint64_t middle = shorter.length == 1 ? 0 : key_of(words, shorter.length - 1);
            firsts_[middle].push_back(words[shorter.length - 1]);
        }
    }
    /// The words that may stand before the n-gram `words`.
    const std::vector<std::uint32_t>& before(const std::uint32_t* words, unsigned length) const {
        static const std::vector<std::uint32_t> none;
        const auto found = firsts_.find(length == 1 ? 0 : key_of(words + 1, length - 1));
        return found == firsts_.end() ? none : found->second;
    }

private:
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> firsts_;
};

Found longer(const KenlmModel& model, const Found& shorter, const Histories& histories, unsigned threads) {
    const unsigned order = shorter.length + 1;
    const kenlm::HashTable& table = model.probing().table(order);
    const bool last = order == model.layout().order;
    constexpr std::size_t many = 1024, batch = 64;
    std::vector<Found> parts((shorter.size() + many - 1) / many);
    parallel_for(parts.size(), threads, [&](std::size_t task) {
        Found& own = parts[task];
        own.length = order;
        for (std::size_t i = task * many; i < std::min(shorter.size(), (task + 1) * many); ++i) {
            if (!shorter.entries[i].extends_left) continue;
            const std::uint32_t* words = shorter.words(i);
            const auto& firsts = histories.before(words, shorter.length);
            for (std::size_t from = 0; from < firsts.size(); from += batch) {
                const std::size_t size = std::min(batch, firsts.size() - from);
                std::uint64_t keys[batch];
                const std::uint8_t* ideal[batch];
                for (std::size_t k = 0; k < size; ++k) {
                    keys[k] = KenlmProbing::longer(shorter.keys[i], firsts[from + k]);
                    ideal[k] = table.ideal(keys[k]);
                    table.ask(ideal[k]);
                }
                for (std::size_t k = 0; k < size; ++k) {
                    const std::uint8_t* at = keys[k] ? table.find(keys[k], ideal[k]) : nullptr;
                    if (!at) continue;
                    own.codes.insert(own.codes.end(), words, words + shorter.length);
                    own.codes.push_back(firsts[from + k]);
                    own.keys.push_back(keys[k]);
                    own.entries.push_back(last ? KenlmEntry{kenlm::negative(kenlm::load<std::uint32_t>(at + 8)), 0.0f, true, false}
                                               : KenlmProbing::value(at + 8));
                }
            }
        }
    });
    Found result;
    result.length = order;
    for (const Found& part : parts) result.add(part);
    return result;
}

std::uint64_t taken_buckets(const kenlm::HashTable& table) {
    std::uint64_t taken = 0;
    for (std::uint64_t i = 0; i < table.buckets(); ++i)
        taken += kenlm::load<std::uint64_t>(table.base() + i * table.width()) != 0;
    return taken;
}

void take_hashed(const KenlmModel& model, std::uint64_t most_trials, unsigned threads, Handing& to) {
    Found found;
    found.length = 1;
    for (std::uint32_t code = 0; code < model.bound(); ++code) {
        KenlmProbing::Node node;
        found.codes.push_back(code);
        found.keys.push_back(code);
        found.entries.push_back(model.probing().unigram(code, node));
    }
    std::uint64_t left = most_trials;
    for (unsigned order = 2; order <= model.layout().order; ++order) {
        const Histories histories(found);
        std::uint64_t trials = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            if (found.entries[i].extends_left) trials += histories.before(found.words(i), found.length).size();
        if (trials > left)
            throw NgramUnable("its hash tables hold no words but keys; to find the words of its " + std::to_string(order) +
                                   "-grams takes " + std::to_string(trials) + " trials, more than " + std::to_string(left) +
                                   ". Score it as it is, or convert the ARPA file or a trie of it");
        left -= trials;
        found = longer(model, found, histories, threads);
        if (found.size() != taken_buckets(model.probing().table(order)))
            throw NgramUnable("the words of all its " + std::to_string(order) + "-grams cannot be found, only of " +
                                   std::to_string(found.size()) + "; score it as it is, or convert the ARPA file or a trie of it");
        for (std::size_t i = 0; i < found.size(); ++i) to.take(found.words(i), order, found.entries[i]);
    }
}

}  // namespace

std::unique_ptr<NgramModel> KenlmModel::expanded(std::uint64_t most_trials, unsigned threads) const {
    ArpaReader reader;
    reader.begin(order());
    try {
        for (std::uint32_t id = 0; id < words(); ++id) {
            if ((id == word_begin && begin_ >= bound_) || (id == word_end && end_ >= bound_)) continue;  // the file has none
            const Bytes name = word(id);
            if (name.size == 0) throw NgramFormatError("it has a word without bytes");
            const std::string_view text(reinterpret_cast<const char*>(name.data), name.size);
            if (text.find_first_of("\t\n\r ") != text.npos) throw NgramFormatError("it has a word with white space in it");
            with([&](const auto& search) {
                typename std::decay_t<decltype(search)>::Node node;
                const KenlmEntry own = search.unigram(code_of(id), node);
                Handing::check(own);
                if (reader.take_word(text, own.logprob, own.backoff + 0.0f) != id)
                    throw NgramFormatError("the list of its words and their hashes do not agree; fetch it or build it again");
            });
        }
        Handing to(*this, reader);
        if (is_probing(layout_.kind)) {
            take_hashed(*this, most_trials, threads, to);
        } else {
            std::uint32_t codes[max_order];
            for (std::uint32_t code = 0; code < bound_; ++code) {
                KenlmTrie::Node node;
                trie_.unigram(code, node);
                codes[0] = code;
                take_children(trie_, 2, layout_.order, node, codes, to);
            }
        }
        reader.end();
        return reader.finish(metadata_);
    } catch (const ArpaError& error) {
        throw NgramFormatError(error.what());
    }
}

}  // namespace bitmeter

// A binary of KenLM, mapped and scored in place.
//
// It is a third form of an n-gram model beside our own two. Its words have the ids of ours: 0, 1 and 2 are the unknown
// word, the beginning and the end of a sentence, which have other numbers in the file ("codes" below).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/format/model.hpp"
#include "ngram/format/words.hpp"
#include "ngram/kenlm/search.hpp"
#include "util/pages.hpp"

namespace bitmeter {

/// MurmurHash64A without a seed, by which KenLM knows a word. Memory up to `limit` may be read.
inline std::uint64_t kenlm_hash(Bytes word, const std::uint8_t* limit) {
    constexpr std::uint64_t factor = 0xC6A4A7935BD1E995ULL;
    constexpr int shift = 47;
    std::uint64_t hash = word.size * factor;
    const std::uint8_t* at = word.data;
    std::size_t left = word.size;
    for (; left >= 8; left -= 8, at += 8) {
        std::uint64_t part = load_little(at) * factor;
        part ^= part >> shift;
        hash = (hash ^ part * factor) * factor;
    }
    if (left) {
        std::uint64_t part = 0;
        if (limit - at >= 8) [[likely]] {
            part = load_little(at) & ((std::uint64_t{1} << (8 * left)) - 1);
        } else {
            for (std::size_t i = 0; i < left; ++i) part |= std::uint64_t{at[i]} << (8 * i);
        }
        hash = (hash ^ part) * factor;
    }
    hash = (hash ^ hash >> shift) * factor;
    return hash ^ hash >> shift;
}
inline std::uint64_t kenlm_hash(Bytes word) { return kenlm_hash(word, word.data + word.size); }

class KenlmModel;

/// The words of a text by their hashes. The three of no text are not found.
class KenlmIndex {
public:
    explicit KenlmIndex(const KenlmModel& model) : model_(&model) {}
    /// With the hash, and where in the file it should be.
    WordKey key(Bytes word, const std::uint8_t* limit) const;
    void prefetch(const WordKey& key) const;
    std::uint32_t find(Bytes word, const WordKey& key) const;
    std::uint32_t find(Bytes word) const { return find(word, key(word, word.data + word.size)); }
    /// The number in the file.
    std::uint32_t code(const WordKey& key) const;

private:
    const KenlmModel* model_;
};

class KenlmModel {
public:
    /// The bytes of a file. Throws NgramFormatError.
    explicit KenlmModel(PageBlock block);
    /// A file, mapped; or read into memory of its own, in large pages where the system has them: faster to score by, and
    /// not shared with other processes. Throws NgramFormatError and std::system_error.
    static std::unique_ptr<KenlmModel> open(const std::string& path, bool in_memory = false);
    KenlmModel(const KenlmModel&) = delete;
    KenlmModel& operator=(const KenlmModel&) = delete;

    /// See NgramModel::confirm.
    void confirm(bool rarely = false) const;

    const KenlmLayout& layout() const { return layout_; }
    KenlmKind kind() const { return layout_.kind; }
    int order() const { return static_cast<int>(layout_.order); }
    /// Ids, those of the beginning and the end included even where the file has none.
    std::uint32_t words() const { return static_cast<std::uint32_t>(shape_.words); }
    const NgramShape& shape() const { return shape_; }
    std::string_view metadata() const { return metadata_; }
    void set_metadata(std::string metadata) { metadata_ = std::move(metadata); }
    /// It has no open-vocabulary section, and cannot get one.
    Bytes section() const { return {nullptr, 0}; }
    [[noreturn]] void attach(const std::vector<std::uint8_t>&) const;

    // ---- words
    /// Whether the file lists its words.
    bool has_words() const { return layout_.has_words; }
    /// A word's bytes. Throws NgramFormatError where the file does not list its words, or badly.
    Bytes word(std::uint32_t id) const;
    KenlmIndex index() const { return KenlmIndex(*this); }
    /// The number of a word in the file by its hash; 0 if it has none.
    std::uint32_t code(std::uint64_t hash) const { return code_at(hash, code_place(hash)); }
    /// Where it should be, as an offset in the file; and the number from there on.
    std::uint64_t code_place(std::uint64_t hash) const {
        if (is_probing(layout_.kind)) return static_cast<std::uint64_t>(vocabulary_.ideal(hash) - block_.data());
        return layout_.vocabulary + 8 * static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash) * sorted_words_) >> 64);
    }
    std::uint32_t code_at(std::uint64_t hash, std::uint64_t place) const {
        if (!is_probing(layout_.kind)) return sorted_code(hash);
        const std::uint8_t* found = vocabulary_.find(hash, block_.data() + place);
        if (!found) return 0;
        const auto code = once(kenlm::load<std::uint32_t>(found + 8));
        return code < bound_ ? code : 0;
    }
    void ask_code(std::uint64_t place) const { __builtin_prefetch(block_.data() + place); }
    /// From an id to the number in the file and back.
    std::uint32_t code_of(std::uint32_t id) const {
        if (plain_) return id;
        const std::uint32_t found = swapped(id);
        return found < bound_ ? found : 0;
    }
    std::uint32_t id_of(std::uint32_t code) const { return plain_ ? code : swapped_back(code); }
    std::uint32_t begin_code() const { return begin_ < bound_ ? begin_ : 0; }
    std::uint32_t end_code() const { return end_ < bound_ ? end_ : 0; }
    /// Words of the file, the unknown one included.
    std::uint32_t bound() const { return bound_; }

    /// Calls run(search) with the data structure that the file has.
    template <class Run>
    auto with(Run&& run) const {
        return is_probing(layout_.kind) ? run(probing_) : run(trie_);
    }
    const KenlmProbing& probing() const { return probing_; }
    const KenlmTrie& trie() const { return trie_; }

    /// A checksum of all bytes but those behind the model; computed when it is first asked for.
    std::uint64_t content_checksum() const;
    std::uint64_t fingerprint() const { return content_checksum(); }
    /// Of the head and some of the words' figures: enough to tell models apart, and known at once.
    std::uint64_t mark() const { return block_checksum(block_.data(), std::min<std::uint64_t>(layout_.end, 1 << 15)); }
    /// Reads all of it: every figure is a number, every link and word is in the file. Throws NgramFormatError.
    void verify() const;
    /// The same model in our fast form, of a trie as it is; of hash tables with the words that are found by
    /// trying words, up to `most_trials`. Throws NgramFormatError where that is not possible.
    std::unique_ptr<NgramModel> expanded(std::uint64_t most_trials, unsigned threads) const;

private:
    std::uint32_t swapped(std::uint32_t id) const {
        return id == word_begin ? begin_ : id == word_end ? end_ : id == begin_ ? displaced_[0] : id == end_ ? displaced_[1] : id;
    }
    std::uint32_t swapped_back(std::uint32_t code) const {
        return code == begin_ ? word_begin : code == end_ ? word_end : code == displaced_[0] ? begin_ : code == displaced_[1] ? end_ : code;
    }
    std::uint32_t sorted_code(std::uint64_t hash) const;
    void find_specials();
    void list_words() const;

    PageBlock block_;
    KenlmLayout layout_;
    NgramShape shape_;
    std::string metadata_ = "{}";
    std::uint32_t bound_ = 0, begin_ = word_begin, end_ = word_end;
    std::uint32_t displaced_[2] = {};  // what the ids of the beginning and the end in the file stand for
    bool plain_ = false;               // ids are the numbers of the file
    kenlm::HashTable vocabulary_;
    std::uint64_t sorted_words_ = 0;  // of a trie's vocabulary
    KenlmProbing probing_;
    KenlmTrie trie_;

    mutable std::mutex guard_;
    mutable std::atomic<bool> listed_{false}, summed_{false};
    mutable std::vector<std::uint64_t> word_places_;
    mutable std::uint64_t checksum_ = 0;
};

inline WordKey KenlmIndex::key(Bytes word, const std::uint8_t* limit) const {
    const std::uint64_t hash = kenlm_hash(word, limit);
    return {model_->code_place(hash), hash, 0};
}
inline void KenlmIndex::prefetch(const WordKey& key) const { model_->ask_code(key.head); }
inline std::uint32_t KenlmIndex::code(const WordKey& key) const { return model_->code_at(key.hash, key.head); }
inline std::uint32_t KenlmIndex::find(Bytes, const WordKey& key) const {
    const std::uint32_t id = model_->id_of(code(key));
    return id < first_word ? word_unknown : id;
}

}  // namespace bitmeter

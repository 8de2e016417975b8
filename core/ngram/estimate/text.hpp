// A text as word ids, for estimation: ids in order of first occurrence, each sentence closed by word_end.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ngram/estimate/id_list.hpp"
#include "ngram/estimate/last_chain.hpp"
#include "ngram/format/model.hpp"
#include "text/split.hpp"

namespace bitmeter {

/// The text holds a word that the model reserves.
struct ReservedWord : std::runtime_error {
    ReservedWord(std::string found, std::uint64_t where)
        : std::runtime_error("reserved word"), word(std::move(found)), sentence(where) {}
    std::string word;
    std::uint64_t sentence;  // counted from one
};

/// No word may be longer: what is estimated from a word takes many times its bytes.
constexpr std::size_t longest_word = std::size_t{1} << 21;

/// The text holds a longer word.
struct LongWord : std::runtime_error {
    explicit LongWord(std::uint64_t where) : std::runtime_error("long word"), sentence(where) {}
    std::uint64_t sentence;  // counted from one
};

/// What `<unk>` in the text is: the model's own name, refused; a word like any other; or one of the unknown words.
enum class UnkInText { reserved, word, member };

/// What units other than words are, and by which bytes a model's file names each: a byte by itself, a character by its
/// UTF-8 (a byte that is none by itself), a token by the decimal digits of its id.
enum class UnitKind { bytes, characters, tokens };

struct UnitRules {
    UnitKind kind = UnitKind::bytes;
    std::int64_t ids = 256;     // they are 0 up to this number
    std::int64_t end_unit = -1;  // the unit that ends a sentence (a newline, where sentences are lines); -1 for none
    bool closed = true;          // all ids are known, seen or not, and nothing is unknown
};

class NgramText {
public:
    /// A text of words.
    NgramText(std::string_view separators, UnkInText unk);
    NgramText(std::string_view separators, bool unk_word)
        : NgramText(separators, unk_word ? UnkInText::word : UnkInText::reserved) {}
    /// A text of other units, which comes as ids.
    explicit NgramText(const UnitRules& rules);

    /// Takes the next bytes. Documents end at `ends`, ascending within the block; each is a sentence. Throws
    /// ReservedWord and LongWord. Numbers do not depend on the threads.
    void feed(Bytes block, Ends ends, unsigned threads = 1);
    /// Takes the next units: documents ids[bounds[d], bounds[d + 1]), the first `closed` of which are complete, and the
    /// one after them goes on in the next call. A negative id stands for nothing.
    template <class Id>
    void feed_ids(const Id* ids, const std::int64_t* bounds, std::size_t documents, std::size_t closed);
    /// Closes a sentence that has begun, and makes every id of a closed vocabulary known.
    void finish();

    // What the vocabulary is, once the text is complete; the words that it leaves out become word_unknown. In
    // ngram/estimate/vocabulary.cpp.
    /// Words that come at least `least` times, and of those the `most` most frequent: of equally frequent ones those that
    /// came first.
    void keep_frequent(std::uint64_t least, std::uint64_t most);
    /// The words of a list, whether the text has them or not.
    void keep_listed(const WordTable& list);

    // A text that is counted in parts, each of which was split by itself: then its words and their counts are all that is
    // known here. In ngram/estimate/vocabulary.cpp.
    /// Takes the words of the next part, those of the first word id on, in their order, and how often each id came; returns
    /// the ids of its words here.
    std::vector<std::uint32_t> adopt(const WordTable& words, std::span<const std::uint64_t> counts);
    /// Whether it is such a text.
    bool adopted() const { return adopted_; }
    /// By which id a word is known since the vocabulary was settled, by the id that adopt() gave it.
    const std::vector<std::uint32_t>& settled() const { return settled_; }
    void add_chain(const LastChain& chain, int order) { chain_.add(chain, order); }

    /// Beyond so many bytes the numbers go to a temporary file.
    void limit(std::uint64_t bytes, PageStore* store) { ids_.limit(bytes, store); }
    const IdList& ids() const { return ids_; }
    const WordTable& table() const { return table_; }
    /// Nothing is unknown: the words of the table are all that can come.
    bool closed() const { return closed_; }
    std::uint64_t sentences() const { return sentences_; }
    /// Words and ends of sentences.
    std::uint64_t places() const { return adopted_ ? places_ : ids_.size(); }
    std::uint64_t words() const { return places() - sentences_; }
    /// How often each word comes.
    std::vector<std::uint64_t> counts() const;
    LastChain chain(int order) const { return adopted_ ? chain_ : last_chain({ids_.data(), ids_.size()}, order); }
    /// How many words of the text are unknown, by its vocabulary.
    std::uint64_t unknown() const;

private:
    void add(Bytes word);
    void add_id(std::int64_t id);
    void take_part(Bytes text, bool closed);
    void close();
    void feed_in_order(Bytes block, Ends ends);
    void feed_parts(Bytes text, Ends ends, std::int64_t offset, unsigned threads);
    std::size_t name_of(std::int64_t id, char* name) const;
    void renumber(const std::vector<bool>& keep);

    Separators separators_;
    WordTable table_;
    IdList ids_;
    std::vector<std::int64_t> edges_;
    std::vector<std::uint8_t> begun_;  // a word that the border of a block cut
    std::uint64_t sentences_ = 0;
    bool open_ = false;
    UnkInText unk_ = UnkInText::reserved;
    UnitRules rules_;
    std::vector<std::uint32_t> numbers_;  // of each id; 0 where it has not come
    bool closed_ = false;
    bool adopted_ = false;
    std::uint64_t places_ = 0;
    std::vector<std::uint64_t> counts_;   // of an adopted text
    std::vector<std::uint32_t> settled_;
    LastChain chain_;
};

/// The id of each word of a model over such units; -1 for the three that are none, and word_end is `end_unit`. Throws
/// NgramFormatError where the file names what is no such unit.
template <class Model>
std::vector<std::int64_t> unit_ids(const Model& model, const UnitRules& rules);

}  // namespace bitmeter

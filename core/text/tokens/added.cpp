#include "text/tokens/added.hpp"

namespace bitmeter {

AddedTokens::AddedTokens(const std::vector<AddedToken>& added, bool special) {
    const auto is_active = [&](const AddedToken& token) { return special || !token.special; };
    bool kinds[2] = {};
    for (const AddedToken& token : added)
        if (is_active(token)) {
            if (!token.plain) throw PieceUnsupported("an added token takes white space beside it");
            kinds[token.normalised] = true;
        }
    // The library looks for the two kinds one after the other.
    if (kinds[0] && kinds[1]) throw PieceUnsupported("its added tokens are of two kinds");
    active_ = kinds[0] || kinds[1];
    for (const AddedToken& token : added)
        if (kinds[token.normalised]) {
            trie_.add(token.text, 2 * token.id + (is_active(token) ? counts : 0));
            opens_[static_cast<std::uint8_t>(token.text[0])] = true;
        }
}

}  // namespace bitmeter

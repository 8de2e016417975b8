#include "text/tokens/encoder.hpp"

#include <stdexcept>

#include "text/tokens/byte_level.hpp"
#include "text/tokens/metaspace.hpp"

namespace bitmeter {

std::unique_ptr<TextEncoder> make_encoder(const TokenizerFile& file, bool special) {
    try {
        if (file.byte_level) return std::make_unique<ByteLevelEncoder>(file, special);
        return std::make_unique<MetaspaceEncoder>(file, special);
    } catch (const std::length_error&) {
        throw PieceUnsupported("its vocabulary has more bytes than are read here");
    }
}

}  // namespace bitmeter

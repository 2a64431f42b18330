// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace graze {

/// What can be wrong with input. Queries on a valid model and pose have no faults.
enum class FaultKind : std::uint8_t {
    BadIndex,    ///< a corner names a point that does not exist
    NotFinite,   ///< a coordinate or a matrix entry is NaN or infinite
    OutOfRange,  ///< a coordinate is beyond the supported magnitude (see `max_coordinate`)
    BadPolygon,  ///< a polygon has fewer than three corners, or offsets that run backwards
    TooMany,     ///< more points or triangles than 32-bit indices address, or more slabs than `max_slabs`
    NotRigid,    ///< a pose's matrix is not orthonormal, or a quaternion has no direction
    Singular,    ///< a matrix has no inverse, or a plane or ray no direction
    BadRegion,   ///< a box or slab is empty
    BadObject,   ///< a scene has no such object
    File,        ///< a file cannot be read or written
    Damaged,     ///< a file's contents contradict its header or checksum
};

/// One thing that is wrong, and where.
struct Fault {
    FaultKind kind;
    std::string message;  ///< one line, names the triangle, polygon, point, line or byte
};

/// A value, or the fault that stands in its way.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Fault fault) : state_(std::in_place_index<1>, std::move(fault)) {}

    /// Whether it is the value.
    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    /// The value; calling this on a fault is a misuse.
    T& value() & {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The fault; calling this on a value is a misuse.
    const Fault& fault() const {
        assert(!ok());
        return *std::get_if<1>(&state_);
    }

private:
    std::variant<T, Fault> state_;
};

/// Success without a value.
struct Done {};

}  // namespace graze

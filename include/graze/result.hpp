// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace graze {

/// The ways in which input can be wrong. Queries on valid values have no faults.
enum class FaultKind : std::uint8_t {
    BadIndex,    ///< an index names nothing, or a list has the wrong length
    NotFinite,   ///< a coordinate or a matrix entry is NaN or infinite
    OutOfRange,  ///< a number is beyond its range (see `max_coordinate`), or a batch's lists differ in length
    BadPolygon,  ///< a polygon has fewer than three corners, or its offsets run backwards
    TooMany,     ///< more points or triangles than 32-bit indices address
    NotRigid,    ///< a matrix is not orthonormal where it has to be, or a quaternion is zero
    NotAffine,   ///< the last row of a 4×4 matrix is not 0 0 0 1
    Singular,    ///< a matrix has no inverse, or a plane or ray has no direction
    BadRegion,   ///< a box or slab is empty: a lower bound exceeds the upper one, or both are the same infinity
    BadObject,   ///< the scene has no such object
    File,        ///< a file cannot be read or written
    Damaged,     ///< a file's contents contradict its header or checksum
    Device,      ///< a GPU is missing or has failed
};

/// One thing that is wrong, and where.
struct Fault {
    FaultKind kind;
    std::string message;  ///< one line that names the triangle, polygon, point, line or byte
};

namespace detail {
/// Prints the message of a fault that was taken for a value, or says that a value was taken for a fault, and aborts.
[[noreturn]] void misused_result(const Fault* fault);
}  // namespace detail

/// Either a value or the fault that prevented it. Functions that check input return one; queries on checked values
/// return their answer directly.
///
/// A `Result` converts to true when it holds a value. It has no such conversion when the value itself converts to bool,
/// so that `if (result)` can never be mistaken for the answer: such code does not compile. Use `ok()` there.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Fault fault) : state_(std::in_place_index<1>, std::move(fault)) {}

    /// True when there is a value.
    bool ok() const { return state_.index() == 0; }
    /// True when there is a value.
    explicit operator bool() const
        requires(!std::is_constructible_v<bool, T>)
    {
        return ok();
    }

    /// The value. Calling this on a fault is a programming error: it prints the fault's message and aborts.
    T& value() & {
        if (!ok()) detail::misused_result(&fault());
        return *std::get_if<0>(&state_);
    }
    const T& value() const& {
        if (!ok()) detail::misused_result(&fault());
        return *std::get_if<0>(&state_);
    }
    T&& value() && {
        if (!ok()) detail::misused_result(&fault());
        return std::move(*std::get_if<0>(&state_));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The fault. Calling this on a value is a programming error: it aborts.
    const Fault& fault() const {
        if (ok()) detail::misused_result(nullptr);
        return *std::get_if<1>(&state_);
    }

private:
    std::variant<T, Fault> state_;
};

/// Success, or the fault that prevented it: for operations that make no value. `return {};` is success.
template <>
class [[nodiscard]] Result<void> {
public:
    /// Success.
    Result() = default;
    /// A fault.
    Result(Fault fault) : fault_(std::move(fault)) {}

    /// True when the operation succeeded.
    bool ok() const { return !fault_; }
    /// True when the operation succeeded.
    explicit operator bool() const { return ok(); }

    /// Returns when the operation succeeded. Calling this on a fault prints the fault's message and aborts.
    void value() const {
        if (!ok()) detail::misused_result(&*fault_);
    }

    /// The fault. Calling this after success is a programming error: it aborts.
    const Fault& fault() const {
        if (ok()) detail::misused_result(nullptr);
        return *fault_;
    }

private:
    std::optional<Fault> fault_;
};

}  // namespace graze

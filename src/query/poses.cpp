// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "graze/batch.hpp"

namespace graze {

namespace {

/// How many numbers a placement has; 0 for layouts of objects.
std::size_t numbers_in(PoseLayout layout) {
    switch (layout) {
        case PoseLayout::Rows:
            return 12;
        case PoseLayout::Matrices:
            return 16;
        case PoseLayout::Quaternions:
            return 7;
        default:
            return 0;
    }
}

template <class T, std::size_t n>
std::array<double, n> widened(const std::byte* at) {
    std::array<T, n> numbers;
    std::memcpy(numbers.data(), at, sizeof numbers);
    std::array<double, n> out;
    for (std::size_t i = 0; i < n; ++i) out[i] = numbers[i];
    return out;
}

template <std::size_t n>
std::array<double, n> read(const std::byte* at, bool floats) {
    return floats ? widened<float, n>(at) : widened<double, n>(at);
}

Result<Affine> affine_of(const Result<Pose>& pose) {
    if (!pose) return pose.fault();
    return Affine(*pose);
}

}  // namespace

template <class T>
Result<Poses> Poses::of_numbers(std::span<const T> numbers, PoseLayout layout, std::size_t stride) {
    const std::size_t each = numbers_in(layout);
    if (each == 0) return Fault{FaultKind::OutOfRange, "poses: this layout is not one of numbers"};
    if (stride == 0) stride = each;
    const auto in_words = [](std::size_t n, const char* what) { return std::to_string(n) + " " + what; };
    if (stride < each)
        return Fault{FaultKind::OutOfRange,
                     "poses: a stride of " + in_words(stride, "is too short for ") + in_words(each, "numbers")};
    const std::size_t whole = numbers.size() / stride, rest = numbers.size() % stride;
    // The gap between two placements need not follow the last one.
    if (rest != 0 && rest < each)
        return Fault{FaultKind::OutOfRange,
                     "poses: placement " + in_words(whole, "has ") + in_words(rest, "of ") + in_words(each, "numbers")};
    return Poses(numbers.data(), whole + (rest != 0), stride * sizeof(T), layout, std::is_same_v<T, float>);
}

Result<Poses> Poses::from_numbers(std::span<const double> numbers, PoseLayout layout, std::size_t stride) {
    return of_numbers(numbers, layout, stride);
}

Result<Poses> Poses::from_numbers(std::span<const float> numbers, PoseLayout layout, std::size_t stride) {
    return of_numbers(numbers, layout, stride);
}

Result<Affine> Poses::operator[](std::size_t i) const {
    const std::byte* at = static_cast<const std::byte*>(data_) + i * stride_;
    switch (layout_) {
        case PoseLayout::Poses:
            return Affine(*reinterpret_cast<const Pose*>(at));
        case PoseLayout::Affines:
            return *reinterpret_cast<const Affine*>(at);
        case PoseLayout::Rows:
            return Affine::from_rows(read<12>(at, floats_));
        case PoseLayout::Matrices:
            return Affine::from_matrix4(read<16>(at, floats_));
        case PoseLayout::Quaternions:
            break;
    }
    const std::array<double, 7> v = read<7>(at, floats_);
    return affine_of(Pose::from_quaternion({v[3], v[4], v[5], v[6]}, {v[0], v[1], v[2]}));
}

Poses Poses::part(std::size_t first, std::size_t count) const {
    first = std::min(first, size_);
    return {static_cast<const std::byte*>(data_) + first * stride_, std::min(count, size_ - first), stride_, layout_,
            floats_};
}

}  // namespace graze

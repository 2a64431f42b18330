// SPDX-License-Identifier: Apache-2.0
// Any bytes with a correct checksum, loaded as a model's file, give a fault that names the file, or a model that is
// safe to query.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "bytes.hpp"
#include "graze/scene.hpp"
#include "model/model_file.hpp"

namespace graze::fuzz {

/// The bytes, with the length and the checksum that they should have.
inline std::string forged(std::string_view bytes) {
    std::string file(bytes);
    detail::FileHeader h;
    if (file.size() < sizeof h) return file;
    file.resize((file.size() + detail::file_alignment - 1) / detail::file_alignment * detail::file_alignment);
    std::memcpy(&h, file.data(), sizeof h);
    h.file_bytes = file.size();
    std::memcpy(file.data(), &h, sizeof h);
    h.checksum = detail::file_checksum(std::as_bytes(std::span(file)));
    std::memcpy(file.data(), &h, sizeof h);
    return file;
}

inline void check_model_file(std::string_view bytes) {
    static const Model partner = [] {
        const std::vector<double> points = {0, 0, -1, 1, 0, -1, 0, 0, 1, 0.2, 1, 0.1};
        const std::vector<std::uint32_t> corners = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3};
        return *Model::build(SoupView(points, corners), {.threads = 1});
    }();
    const std::string file = forged(bytes);
    // A file without a place on the disk.
    const int descriptor = memfd_create("model", 0);
    require(descriptor >= 0 && write(descriptor, file.data(), file.size()) == static_cast<ssize_t>(file.size()),
            "a file in memory");
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
    const Result<Model> model = Model::load(path);
    close(descriptor);
    if (!model) {
        require(model.fault().message.starts_with(path + ": ") && model.fault().message.find('\n') == std::string::npos,
                "one line with the file's name");
        return;
    }
    require(model->triangle_count() <= file.size(), "no more than the bytes hold");
    const std::size_t all = std::size_t{model->triangle_count()} * partner.triangle_count();
    require(collide(*model, partner, Pose()).size() <= all, "pairs that exist, each once");
    require(collide(partner, *model, Pose()).size() <= all, "pairs that exist, each once");
    static_cast<void>(intersects(*model, *model, Pose()));
    static_cast<void>(model->validate().ok());
    Scene scene({.hulls = true, .fronts = true});
    static_cast<void>(scene.add(*model, Pose()).ok());
    static_cast<void>(scene.add(partner, Pose()).ok());
    scene.update();
}

}  // namespace graze::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "report/clash_page.hpp"

#include <unordered_map>

#include "checks/clash_formats.hpp"
#include "checks/encode.hpp"

namespace graze::report {

Document clash_page(const checks::Parts& parts, checks::Clashes& clashes, std::string title, std::string answer) {
    Document page;
    page.title = std::move(title);
    page.answer = std::move(answer);
    page.meshes = parts.models;
    std::unordered_map<std::string, std::uint32_t> number;
    for (const checks::Part& part : parts.parts) {
        number.emplace(part.path, static_cast<std::uint32_t>(page.parts.size()));
        const std::size_t slash = part.path.rfind('/');
        page.parts.push_back({.name = part.path,
                              .mesh = part.model,
                              .placement = part.world_from_model,
                              .group = slash == part.path.npos ? "" : part.path.substr(0, slash),
                              .labels = part.labels});
    }
    for (checks::Clash& clash : clashes.clashes) {
        Clash& entry = page.clashes.emplace_back();
        entry.hit = {clash.a, clash.b, clash.kind, clash.contacts, std::move(clash.pairs), clash.closest};
        entry.state = clash.state;
        entry.note = clash.note;
        entry.id = checks::guid(parts.parts[clash.a].path, parts.parts[clash.b].path);
        entry.extent = clash.extent;
        entry.thickness = clash.thickness.value_or(0);
        entry.thin = clash.thin;
        entry.severity = clash.severity;
        entry.cause = clash.cause;
        if (clash.cause > 0) entry.cause_name = clashes.causes[clash.cause - 1];
        entry.review = clash.review;
    }
    for (const checks::Gone& gone : clashes.resolved) {
        Clash& entry = page.clashes.emplace_back();
        const auto find = [&](const std::string& path) {
            const auto at = number.find(path);
            return at == number.end() ? no_part : at->second;
        };
        entry.hit = {find(gone.a), find(gone.b), gone.kind, 0, {}};
        entry.gone_a = gone.a;
        entry.gone_b = gone.b;
        entry.id = checks::id_of(gone);
        entry.state = State::Resolved;
        entry.review = gone.review;
    }
    return page;
}

}  // namespace graze::report

// SPDX-License-Identifier: Apache-2.0
#include "report/clash_page.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "checks/clash_columns.hpp"

namespace graze::report {

std::vector<std::uint32_t> drawn_parts(const checks::Parts& parts, const checks::Clashes& clashes) {
    std::vector<std::uint32_t> drawn(parts.parts.size());
    std::iota(drawn.begin(), drawn.end(), 0);
    if (drawn.size() <= most_parts) return drawn;
    drawn.clear();
    std::vector<std::uint32_t> order(clashes.clashes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::tuple(-clashes.clashes[i].severity, i); });
    std::vector<bool> taken(parts.parts.size());
    for (const std::uint32_t i : order) {
        if (drawn.size() + 2 > most_parts) break;
        for (const std::uint32_t part : {clashes.clashes[i].a, clashes.clashes[i].b})
            if (!taken[part]) {
                taken[part] = true;
                drawn.push_back(part);
            }
    }
    std::ranges::sort(drawn);
    return drawn;
}

Document clash_page(const checks::Parts& parts, checks::Clashes& clashes, std::string title, std::string answer) {
    const std::vector<checks::Rule> no_rules;
    const checks::ClashRun run{parts, clashes, no_rules, title};
    Document page;
    page.title = std::move(title);
    page.answer = std::move(answer);
    std::unordered_map<std::string, std::uint32_t> number;
    std::vector<std::uint32_t> on_page(parts.parts.size(), no_part), meshes(parts.shape_count(), no_part);
    for (const std::uint32_t i : drawn_parts(parts, clashes)) {
        const checks::Part& part = parts.parts[i];
        on_page[i] = static_cast<std::uint32_t>(page.parts.size());
        number.emplace(part.path, on_page[i]);
        if (meshes[part.model] == no_part) {
            meshes[part.model] = static_cast<std::uint32_t>(page.meshes.size());
            page.meshes.push_back(parts.models[part.model]);
        }
        const std::size_t slash = part.path.rfind('/');
        page.parts.push_back({.name = part.path,
                              .mesh = meshes[part.model],
                              .placement = part.world_from_model,
                              .group = slash == part.path.npos ? "" : part.path.substr(0, slash),
                              .labels = part.labels});
    }
    if (page.parts.size() < parts.parts.size()) page.all_parts = parts.parts.size();
    const auto add = [&](checks::Clash& clash) -> Clash& {
        Clash& entry = page.clashes.emplace_back();
        entry.hit = {on_page[clash.a], on_page[clash.b],       clash.kind,
                     clash.contacts,   std::move(clash.pairs), clash.closest};
        if (entry.hit.a == no_part || entry.hit.b == no_part) {
            entry.hit.pairs.clear();
            entry.at = checks::middle(clash);
        }
        if (entry.hit.a == no_part) entry.gone_a = parts.parts[clash.a].path;
        if (entry.hit.b == no_part) entry.gone_b = parts.parts[clash.b].path;
        entry.state = clash.state;
        entry.note = clash.note;
        entry.id = checks::guid_of(run, clash);
        entry.extent = clash.extent;
        entry.thin = clash.thin;
        entry.depth = clash.measures.depth;
        entry.volume = clash.measures.volume;
        entry.translation = clash.measures.translation;
        if (clash.exact != clash.kind) entry.exact = clash.exact;
        entry.band = clash.band;
        entry.severity = clash.severity;
        entry.cause = clash.cause;
        if (clash.cause > 0) entry.cause_name = clashes.causes[clash.cause - 1];
        entry.review = clash.review;
        for (const checks::ClashColumn& column : checks::clash_columns())
            if (column.page != nullptr)
                if (std::string text = line_of(column.of(run, clash)); !text.empty())
                    entry.more.emplace_back(column.page, std::move(text));
        return entry;
    };
    for (checks::Clash& clash : clashes.clashes) add(clash);
    std::vector<checks::Gone> earlier = clashes.resolved;
    earlier.insert(earlier.end(), clashes.gone.begin(), clashes.gone.end());
    for (const checks::Gone& gone : earlier) {
        Clash& entry = page.clashes.emplace_back();
        const auto find = [&](const std::string& path) {
            const auto at = number.find(path);
            return at == number.end() ? no_part : at->second;
        };
        entry.hit = {find(gone.a), find(gone.b), gone.kind, 0, {}};
        entry.gone_a = gone.a;
        entry.gone_b = gone.b;
        entry.id = checks::id_of(gone);
        entry.state = gone.state;
        entry.note = gone.why;
        entry.review = gone.review;
    }
    for (checks::Clash& fit : clashes.fits) add(fit).harmless = true;
    return page;
}

}  // namespace graze::report

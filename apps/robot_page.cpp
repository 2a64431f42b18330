// SPDX-License-Identifier: Apache-2.0
#include "robot_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "checks/contacts.hpp"
#include "checks/shown_frames.hpp"
#include "terminal.hpp"

namespace graze::apps {

namespace {

/// The configurations that the page shows. Of random ones those in collision are enough.
std::vector<std::size_t> frames_to_show(const checks::RobotRun& run, const std::vector<checks::PairFrequency>& met,
                                        bool random) {
    std::vector<std::size_t> always;
    for (const checks::PairFrequency& f : met) always.push_back(f.at);
    std::vector<bool> collides(run.answers.size());
    for (std::size_t i = 0; i < collides.size(); ++i) collides[i] = !run.answers.of(i).empty();
    std::vector<std::size_t> frames = checks::shown_frames(collides, always);
    if (random) std::erase_if(frames, [&](std::size_t i) { return !collides[i]; });
    return frames;
}

/// Makes the page on a run.
class RobotPage {
public:
    RobotPage(const checks::RobotRun& run, const RobotPageSettings& settings) : run_(run), settings_(settings) {}

    Result<void> write(const Output& output, std::string answer) {
        const checks::RobotCheck& check = run_.check;
        page_.title = settings_.title;
        page_.units = "m";
        page_.answer = std::move(answer);
        if (const Result<void> placed = place(0); !placed) return placed;
        for (std::uint32_t i = 0; i < check.bodies().size(); ++i) {
            const RobotBody& body = check.bodies()[i];
            page_.meshes.push_back(body.model);
            page_.parts.push_back({.name = body.name,
                                   .mesh = i,
                                   .placement = check.placement(pose_.world_from_link, i),
                                   .group = body.name});
            if (body.link) page_.moving.push_back(i);
        }
        const std::vector<checks::PairFrequency> met = checks::frequencies(run_);
        const std::vector<std::size_t> frames = frames_to_show(run_, met, settings_.random);
        if (const Result<void> added = add_frames(frames); !added) return added;
        if (const Result<void> added = add_clashes(met, frames); !added) return added;
        page_.all_frames = run_.answers.size();
        const std::size_t collisions = checks::collision_count(run_.answers), close = checks::close_count(run_.answers);
        page_.all_hits = collisions + close;
        page_.figures = {{"pairs of links checked", grouped(check.pairs().size())},
                         {"configurations", grouped(page_.all_frames)},
                         {"in collision", grouped(collisions)}};
        if (close > 0)
            page_.figures.emplace_back(fmt::format("within {:.6g} m", run_.question.clearance), grouped(close));
        if (run_.answers.beyond > 0) page_.figures.emplace_back("beyond limits", grouped(run_.answers.beyond));
        for (const checks::FixedHit& hit : check.fixed_hits())
            page_.figures.emplace_back("always collide, being fixed",
                                       check.bodies()[hit.a].name + " – " + check.bodies()[hit.b].name);
        for (auto& figure : figures_of(run_.checked)) page_.figures.push_back(std::move(figure));
        if (!settings_.timeline) {
            page_.frames.clear();
            page_.moving.clear();
        }
        return write_page(page_, output);
    }

private:
    static constexpr std::size_t drawn_in_list = 200;     ///< contacts per pair of links in the list
    static constexpr std::size_t drawn_in_all = 200'000;  ///< contacts of all frames together

    Result<void> place(std::size_t i) {
        const std::size_t joints = run_.check.robot().active.size();
        return files::place(run_.check.robot(), run_.values.subspan(i * joints, joints), pose_);
    }

    report::Hit hit_of(const checks::BodyHit& hit, std::size_t drawn) const {
        const auto [a, b] = run_.check.pairs()[hit.pair];
        const std::vector<Contact> contacts = run_.check.contacts(pose_.world_from_link, hit.pair);
        report::Hit out{a, b, hit.kind, contacts.size(), checks::spread(contacts, drawn), hit.closest};
        // With --first the kind is not known.
        if (contacts.empty() && hit.kind == checks::Kind::Touching) {
            out.kind = checks::Kind::Clearance;
            out.closest = run_.check.closest(pose_.world_from_link, hit.pair);
        }
        return out;
    }

    Result<void> add_frames(const std::vector<std::size_t>& frames) {
        std::size_t hits = 0;
        for (const std::size_t i : frames) hits += run_.answers.of(i).size();
        const std::size_t drawn = std::clamp<std::size_t>(drawn_in_all / std::max<std::size_t>(hits, 1), 8, 200);
        for (const std::size_t i : frames) {
            if (const Result<void> placed = place(i); !placed) return placed;
            report::Frame& frame = page_.frames.emplace_back();
            frame.number = i;
            for (const std::uint32_t part : page_.moving)
                frame.placements.push_back(run_.check.placement(pose_.world_from_link, part));
            for (const checks::BodyHit& one : run_.answers.of(i)) frame.hits.push_back(hit_of(one, drawn));
        }
        return {};
    }

    Result<void> add_clashes(const std::vector<checks::PairFrequency>& met, const std::vector<std::size_t>& frames) {
        for (const checks::PairFrequency& f : met) {
            if (const Result<void> placed = place(f.at); !placed) return placed;
            report::Hit hit =
                hit_of(*std::ranges::find(run_.answers.of(f.at), f.pair, &checks::BodyHit::pair), drawn_in_list);
            report::Clash clash{.hit = std::move(hit)};
            if (f.most == 0 && f.inside > 0) clash.note = checks::inside_text(run_.check, f.pair, f.nesting);
            if (settings_.timeline) {
                clash.frame = static_cast<std::uint32_t>(std::ranges::lower_bound(frames, f.at) - frames.begin());
                clash.note += fmt::format("{}in {} of {} configurations; here number {}",
                                          clash.note.empty() ? "" : "; ", f.configurations, run_.answers.size(), f.at);
            }
            page_.clashes.push_back(std::move(clash));
        }
        return {};
    }

    const checks::RobotRun& run_;
    const RobotPageSettings& settings_;
    report::Document page_;
    files::RobotPose pose_;
};

}  // namespace

Result<void> write_robot_page(const checks::RobotRun& run, const RobotPageSettings& settings, const Output& output,
                              std::string answer) {
    return RobotPage(run, settings).write(output, std::move(answer));
}

}  // namespace graze::apps

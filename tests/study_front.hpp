// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graze/study.hpp"

namespace graze {

/// A front with thresholds of a study.
inline Front study_front(const study::FrontSettings& thresholds) { return Front({.study = &thresholds}); }

}  // namespace graze

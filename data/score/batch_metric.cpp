#include "data/score/batch_metric.h"

namespace xf::data {

Registered<BatchMetric>& batch_metrics() {
  static Registered<BatchMetric> all;
  return all;
}

}  // namespace xf::data

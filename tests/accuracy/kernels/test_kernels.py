#!/usr/bin/env python3
"""Checks that kernels.py reports every wrong estimate."""
import unittest

from kernels import FAR_PERCENT, LIMITS, NOTES, Row, WORSE_POINTS, judge


def rows(error, n=20, kept_error=None):
    return [Row(f"kernel{i}", error, kept_error) for i in range(n)]


class Judge(unittest.TestCase):
    def test_good_rows_miss_nothing(self):
        for model in [*LIMITS, "unknown"]:
            self.assertEqual(judge(model, rows(-3, kept_error=-3)), [])

    def test_median_and_mean(self):
        for model, limits in LIMITS.items():
            self.assertEqual(len(judge(model, rows(limits.median_percent + 0.1))), 1)
            few = rows(-3) + [Row("far", 100 * limits.mean_percent, None)]
            self.assertTrue(any("mean" in problem for problem in judge(model, few)))

    def test_far_rows_need_an_explanation(self):
        for model, limits in LIMITS.items():
            far = [row._replace(error=FAR_PERCENT + 1) for row in rows(0, limits.n_far + 1)]
            near = rows(0, 100)
            self.assertEqual(judge(model, near + far[1:]), [])
            self.assertEqual(len(judge(model, near + far)), 1)
            self.assertEqual(judge(model, near + far[1:] + [far[0]._replace(name=next(iter(NOTES)))]), [])

    def test_one_row_that_got_worse_is_missed(self):
        for kept, now, n_problems in ((-5, -5 - WORSE_POINTS, 0), (-5, -5.1 - WORSE_POINTS, 1), (30, -10, 0)):
            self.assertEqual(len(judge("unknown", rows(0, kept_error=0) + [Row("worse", now, kept)])), n_problems)


if __name__ == "__main__":
    unittest.main()

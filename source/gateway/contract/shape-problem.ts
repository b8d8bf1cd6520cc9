import type {z} from 'zod';
import {describeIssues} from '../../config/schema-issues.ts';
import {escapeLine} from '../../core/untrusted.ts';

/** The first issue with the shape of `value`, as the end of a sentence of at most 300 characters: `deliveries.0.status must be a number, not text`. */
export function shapeProblem({issues}: z.ZodError, value: unknown): string {
	const [problem] = describeIssues(issues, value);
	if (!problem) {
		return 'it has the wrong shape';
	}

	const {path, message} = problem;
	return escapeLine(path.length === 0 ? message : `${path.join('.')} ${message}`, 300);
}

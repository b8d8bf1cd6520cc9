import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';
import type {TestContext} from 'vitest';

/** Whether a program is on PATH. */
export const isOnPath = (program: string): boolean =>
	(process.env['PATH'] ?? '').split(delimiter).some(folder => {
		try {
			accessSync(join(folder, program), constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});

/** Leaves the test out where `program` is not on PATH, for one that needs more than npm and bash. The end of the run says so. */
export function need(program: string, {skip}: Pick<TestContext, 'skip'>): void {
	if (!isOnPath(program)) {
		skip(`${program} is not on PATH`);
	}
}

/** Leaves the test out for root, whom no mode of a file keeps from reading or writing it. */
export function needRefusals({skip}: Pick<TestContext, 'skip'>): void {
	if (process.getuid?.() === 0) {
		skip('root may read and write everything');
	}
}

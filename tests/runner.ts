import {relative} from 'node:path';
import {type RunnerTestFile, type RunnerTestSuite, TestRunner} from 'vitest';
import {isDrawn, type Share} from './share.ts';

/** Leaves out the slow cases that are not in the share of the run, and what is set up for them alone. */
export default class ShareRunner extends TestRunner {
	onCollected(files: readonly RunnerTestFile[]): void {
		const share = this.injectValue('share') as Share | undefined;
		if (!share) {
			return;
		}

		for (const file of files) {
			const path = relative(this.config.root, file.filepath);
			if (!share.changed.includes(path)) {
				leaveOut(file, {share, path});
			}
		}
	}
}

type Drawing = {readonly share: Share; readonly path: string; readonly isTaken?: boolean};

/** Whether any case of the suite still runs. Cases that share what is set up before all of them are drawn together: some build on one another. */
function leaveOut(suite: RunnerTestSuite, {share, path, ...drawn}: Drawing): boolean {
	const hooks = TestRunner.getSuiteHooks(suite);
	const isTaken =
		drawn.isTaken ??
		(hooks.beforeAll.length > 0 ? isDrawn(share, `${path} ${suite.fullName}`) : undefined);
	let runs = false;
	for (const task of suite.tasks) {
		if (task.type === 'suite') {
			runs = leaveOut(task, {share, path, ...(isTaken !== undefined && {isTaken})}) || runs;
		} else if (
			task.mode === 'run' &&
			task.tags?.includes('slow') &&
			!(isTaken ?? isDrawn(share, `${path} ${task.fullTestName}`))
		) {
			task.mode = 'skip';
			task.result = leftOutBy(share);
		} else {
			runs ||= task.mode === 'run';
		}
	}

	if (!runs) {
		// A suite that is skipped would not tell which cases it had.
		hooks.beforeAll = [];
		hooks.afterAll = [];
		hooks.aroundAll = [];
	}

	return runs;
}

const leftOutBy = ({parts, commit}: Share) => ({
	state: 'skip' as const,
	note: `slow, and not in the share of commit ${commit.slice(0, 8)}, one of ${parts}; ALL=1 npm test runs all`,
});

import {relative} from 'node:path';
import {type RunnerTestFile, type RunnerTestSuite, TestRunner} from 'vitest';
import {isDrawn, type Share} from './share.ts';

/** Leaves out the slow cases that are not in the share of the run, and what is set up for them alone. */
export default class ShareRunner extends TestRunner {
	onCollected(files: readonly RunnerTestFile[]): void {
		const share = this.injectValue('share') as Share | undefined;
		for (const file of share ? files : []) {
			const path = relative(this.config.root, file.filepath);
			if (share && !share.changed.includes(path)) {
				leaveOut(file, name => isDrawn(share, `${path} ${name}`), share);
			}
		}
	}
}

/** Whether any case of the suite still runs. */
function leaveOut(
	suite: RunnerTestSuite,
	isTaken: (name: string) => boolean,
	share: Share,
): boolean {
	let runs = false;
	for (const task of suite.tasks) {
		if (task.type === 'suite') {
			runs = leaveOut(task, isTaken, share) || runs;
		} else if (task.mode === 'run' && task.tags?.includes('slow') && !isTaken(task.fullTestName)) {
			task.mode = 'skip';
			task.result = leftOutBy(share);
		} else {
			runs ||= task.mode === 'run';
		}
	}

	if (!runs) {
		// A suite that is skipped would not tell which cases it had.
		const hooks = TestRunner.getSuiteHooks(suite);
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

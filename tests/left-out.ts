import type {Reporter, TestModule, Vitest} from 'vitest/node';

/** Says at the end of a run what was left out, and why: one line a reason. */
export default class LeftOutReporter implements Reporter {
	private isWhole = true;

	/** Whoever asks for some tests by their names need not be told of all others. */
	onInit({config}: Vitest): void {
		this.isWhole = config.testNamePattern === undefined;
	}

	onTestRunEnd(modules: readonly TestModule[]): void {
		if (!this.isWhole) {
			return;
		}

		const names = new Map<string, string[]>();
		for (const module of modules) {
			for (const test of module.children.allTests('skipped')) {
				const result = test.result();
				const reason = (result.state === 'skipped' && result.note) || 'no reason given';
				names.set(reason, [...(names.get(reason) ?? []), test.name]);
			}
		}

		for (const [reason, tests] of names) {
			process.stdout.write(`left out: ${reason}: ${tests.length} (${tests.join('; ')})\n`);
		}
	}
}

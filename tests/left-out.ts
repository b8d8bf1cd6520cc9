import type {Reporter, TestCase, TestModule, Vitest} from 'vitest/node';

/** So many tests are named one by one; of more, their files are. */
const fewTests = 20;

/** Says at the end of a run what was left out, and why: one line a reason. Says also what a draw that failed is repeated with. */
export default class LeftOutReporter implements Reporter {
	private isWhole = true;
	private seed = '';

	/** Whoever asks for some tests by their names need not be told of all others. */
	onInit({config}: Vitest): void {
		this.isWhole = config.testNamePattern === undefined;
		this.seed = `${config.env['SEED']}`;
	}

	onTestRunEnd(modules: readonly TestModule[]): void {
		process.stdout.write(`drawn with SEED=${this.seed}\n`);
		if (!this.isWhole) {
			return;
		}

		const leftOut = modules.flatMap(({children}) => [...children.allTests('skipped')]);
		for (const [reason, tests] of Map.groupBy(leftOut, reasonOf)) {
			const names =
				tests.length > fewTests
					? Map.groupBy(tests, ({module}) => module.relativeModuleId)
							.entries()
							.map(([file, {length}]) => `${file} ${length}`)
					: tests.map(({name}) => name);
			process.stdout.write(`left out: ${reason}: ${tests.length} (${[...names].join('; ')})\n`);
		}
	}
}

function reasonOf(test: TestCase): string {
	const result = test.result();
	return (result.state === 'skipped' && result.note) || 'no reason given';
}

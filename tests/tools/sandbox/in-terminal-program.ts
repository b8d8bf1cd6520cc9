import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {text} from 'node:stream/consumers';
import {systemClock} from '../../../source/core/clock.ts';
import type {SandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {runInSandbox, startInSandbox} from '../../../source/tools/sandbox/run-in-sandbox.ts';

/** Is started as a gateway in a terminal, with something open, and runs a command without a sandbox, and in the two ways in which sandboxes are started. */
const {plan, command, result} = JSON.parse(process.argv[2] ?? '') as {
	readonly plan: SandboxPlan;
	readonly command: string;
	/** The file that takes what was printed. */
	readonly result: string;
};
const probe = await probeSandbox(process.env);
if (!probe.works) {
	throw new Error(probe.reason);
}

const argv = ['/bin/bash', '--norc', '-c', `exec 2>&1\n${command}`];
const exit = await runInSandbox(
	argv,
	{
		launch: probe.launch,
		plan,
		signal: new AbortController().signal,
		timeoutMs: 20_000,
		limits: {maxProcesses: 20, maxMemoryBytes: 100 * 2 ** 20},
		outputBytes: 20_000,
	},
	{clock: systemClock},
);
const child = startInSandbox(argv, {launch: probe.launch, plan});
const stays = child.stdout ? await text(child.stdout) : '';
// Last, since it types.
const outside = execFileSync(argv[0] ?? '', argv.slice(1), {
	encoding: 'utf8',
	stdio: ['pipe', 'pipe', 'inherit'],
});
writeFileSync(
	result,
	JSON.stringify({outside, runs: 'output' in exit ? exit.output : exit, stays}),
);

import {mkdirSync, mkdtempSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {type Clock, systemClock} from '../../../source/core/clock.ts';
import {type ControlGroups, controlGroups} from '../../../source/tools/sandbox/control-group.ts';
import {sandboxPlan} from '../../../source/tools/sandbox/plan.ts';
import {probeSandbox} from '../../../source/tools/sandbox/probe-sandbox.ts';
import {runInSandbox} from '../../../source/tools/sandbox/run-in-sandbox.ts';
import {systemWorld} from '../../../source/tools/sandbox/system-world.ts';

/** Runs in a machine of its own, in a control group that is all its own, and tells in one line of JSON how calls above their limits end. */
const probe = await probeSandbox(process.env);
if (!probe.works) {
	throw new Error(probe.reason);
}

const root = mkdtempSync('/mnt/svc-');
const at = (name: string) => join(root, name);
for (const folder of ['person', 'svc', 'svc/work']) {
	mkdirSync(at(folder));
}

const planned = sandboxPlan(
	{workdir: at('svc/work'), read: [], write: [], memoryBytes: 2 ** 26},
	systemWorld({
		userHome: at('person'),
		svcHome: at('svc'),
		profileHome: at('svc'),
		environment: process.env,
	}),
);
if (planned.kind === 'problem') {
	throw new Error(planned.problem.problem);
}

const run = async (
	command: string,
	{
		groups = controlGroups(),
		clock = systemClock,
		maxProcesses = 20,
	}: {
		readonly groups?: ControlGroups;
		readonly clock?: Clock;
		readonly maxProcesses?: number;
	} = {},
) => {
	const exit = await runInSandbox(
		['/bin/bash', '-c', command],
		{
			launch: probe.launch,
			plan: planned.plan,
			signal: new AbortController().signal,
			timeoutMs: 30_000,
			limits: {maxProcesses, maxMemoryBytes: 40 * 2 ** 20},
			outputBytes: 1000,
		},
		{clock, groups},
	);
	return exit.kind === 'above-limit'
		? exit.limit
		: exit.kind === 'exited'
			? exit.output + exit.stderr
			: JSON.stringify(exit);
};

/** 60 MB, of which a process has half in its address space. */
const inPipes = `python3 -c "
import os, resource
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
for one in range(500):
    read, write = os.pipe()
    os.write(write, bytes(65536))
kept = bytearray(30 * 2**20)
kept[::4096] = b'x' * len(kept[::4096])
print('kept')
"`;

const bomb = ':(){ :|:& };:; sleep 1000';
const none: ControlGroups = {works: false, reason: 'not in this call'};

/** Nothing is looked at. */
const blind: Clock = {...systemClock, after: () => () => {}};

const forkAll = `python3 -c "
import os, signal
forked = []
try:
    while len(forked) < 500:
        child = os.fork()
        if child == 0:
            signal.pause()
        forked.append(child)
except BlockingIOError:
    pass
print(len(forked))"`;

const asRoot = async () => ({
	works: controlGroups().works,
	own: /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1],
	plain: await run('head -c 9000000 /dev/zero > /tmp/a; echo plain'),
	forks: await run(bomb),
	memory: await run(
		`python3 -c "import time; x = bytearray(60 * 2**20); x[::4096] = b'x' * len(x[::4096]); time.sleep(1000)"`,
	),
	pipes: await run(inPipes),
	watched: await run(inPipes, {groups: none}),
	left: readdirSync('/sys/fs/cgroup/svc.service').filter(name => name.startsWith('svc-')),
});

const asPerson = async () => ({
	forks: await run(bomb, {groups: none}),
	bound: await run(forkAll, {groups: none, clock: blind, maxProcesses: 3}),
});

const results = process.getuid?.() === 0 ? await asRoot() : await asPerson();
process.stdout.write(`RESULT ${JSON.stringify(results)}\n`);

import {readFile} from 'node:fs/promises';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {nodeFlags, nodeVariables, saveMemory} from '../../source/core/program.ts';
import {createFakeClock} from '../helpers/fake-clock.ts';

test('the bundle, the launcher and starts in the background have one set of flags for Node', async () => {
	const [firstLine] = (await readFile('build/main.js', 'utf8')).split('\n');
	expect(firstLine).toBe(`#!/usr/bin/env -S node ${nodeFlags.join(' ')}`);
	const launcher = await readFile('build/svc', 'utf8');
	const starts = [...launcher.matchAll(/"\$node" (--.*) "\$main"/g)].map(([, flags]) => flags);
	expect(starts).toEqual([nodeFlags.join(' '), nodeFlags.join(' ')]);
	for (const [name, value] of Object.entries(nodeVariables)) {
		expect(launcher).toContain(`\n${name}=\${${name}:-${value}}\nexport ${name}\n`);
	}

	const {scripts, bin} = JSON.parse(await readFile('package.json', 'utf8'));
	expect([scripts.start, bin.svc]).toEqual(['build/svc', 'build/svc']);
});

test('V8 gives memory back while there is little to do, and has better things to do while there is much', async () => {
	const said: string[] = [];
	const clock = createFakeClock(0);
	let user = 0;
	using saving = saveMemory(clock, {
		set(flag) {
			said.push(flag);
		},
		usage: () => ({user, system: 0}),
	});
	const pass = async () => {
		clock.advance(2000);
		await turn();
	};
	const [on, off] = ['--memory-saver-mode', '--no-memory-saver-mode'];
	user += 790_000;
	await pass();
	expect(said).toEqual([on]);
	user += 810_000;
	await pass();
	expect(said).toEqual([on, off]);
	await pass();
	expect(said).toEqual([on, off, on]);
	saving[Symbol.dispose]();
	expect(said).toEqual([on, off, on, off]);
});

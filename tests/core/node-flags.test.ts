import {readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {nodeFlags} from '../../source/core/node-flags.ts';

test('the bundle, the launcher and starts in the background have one set of flags for Node', async () => {
	const [firstLine] = (await readFile('build/main.js', 'utf8')).split('\n');
	expect(firstLine).toBe(`#!/usr/bin/env -S node ${nodeFlags.join(' ')}`);
	const launcher = await readFile('build/svc', 'utf8');
	const starts = [...launcher.matchAll(/"\$node" (--.*) "\$main"/g)].map(([, flags]) => flags);
	expect(starts).toEqual([nodeFlags.join(' '), nodeFlags.join(' ')]);
	const {scripts, bin} = JSON.parse(await readFile('package.json', 'utf8'));
	expect([scripts.start, bin.svc]).toEqual(['build/svc', 'build/svc']);
});

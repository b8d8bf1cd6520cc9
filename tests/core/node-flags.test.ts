import {readFile} from 'node:fs/promises';
import {expect, test} from 'vitest';
import {nodeFlags} from '../../source/core/node-flags.ts';

test('the bundle, npm start and starts in the background have one set of flags for Node', async () => {
	const [firstLine] = (await readFile('build/main.js', 'utf8')).split('\n');
	expect(firstLine).toBe(`#!/usr/bin/env -S node ${nodeFlags.join(' ')}`);
	const {scripts} = JSON.parse(await readFile('package.json', 'utf8'));
	expect(scripts.start).toBe(`node ${nodeFlags.join(' ')} build/main.js`);
});

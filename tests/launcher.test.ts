import {execFile} from 'node:child_process';
import {chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';

/** What `svc.sh` of a checkout starts, where `node` on the PATH is `version` (`undefined`: none is), and the checkout has a Node of its own or not. */
async function startedBy(version: string | undefined, {hasOwn}: {readonly hasOwn: boolean}) {
	const folder = mkdtempSync(join(tmpdir(), 'launcher-'));
	using _ = {
		[Symbol.dispose]() {
			rmSync(folder, {recursive: true});
		},
	};
	const script = (path: string, says: string, is: string) => {
		mkdirSync(join(folder, path, '..'), {recursive: true});
		writeFileSync(
			join(folder, path),
			`#!/bin/sh\n[ "$1" = --version ] && { echo ${is}; exit; }\necho "${says} $*"\n`,
		);
		chmodSync(join(folder, path), 0o755);
	};
	mkdirSync(join(folder, 'build'));
	copyFileSync('source/svc.sh', join(folder, 'build', 'svc'));
	mkdirSync(join(folder, 'bin'));
	if (version !== undefined) {
		script('bin/node', 'system', version);
	}

	if (hasOwn) {
		script('node_modules/.bin/node', 'own', 'v24.21.0');
	}

	const {stdout} = await promisify(execFile)('/bin/sh', [join(folder, 'build', 'svc'), 'runs'], {
		env: {PATH: join(folder, 'bin')},
	});
	return stdout.split(' ')[0];
}

test.for([
	['v20.18.1', true, 'own'],
	[undefined, true, 'own'],
	['v24.0.0', true, 'system'],
	['v26.1.0', true, 'system'],
	['v24.0.0', false, 'system'],
	// It says itself what it needs.
	['v20.18.1', false, 'system'],
] as const)(
	'with Node %s, and one in the checkout: %s, the %s one is started',
	async ([version, hasOwn, started]) => {
		expect(await startedBy(version, {hasOwn})).toBe(started);
	},
);

// @module-tag slow
import {execFile} from 'node:child_process';
import {chmod, writeFile} from 'node:fs/promises';
import {delimiter} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {need} from '../../helpers/need.ts';
import {svcCommand, svcEnvironment} from '../../helpers/svc.ts';
import {temporaryHome, type TemporaryHome} from '../../helpers/temporary-home.ts';

const run = promisify(execFile);

/** A home with names that a shell must not read as code, and the program on PATH as `svc`. */
const open = async () => {
	const home = await temporaryHome({
		'webhook_subscriptions.json': JSON.stringify({'push-main': {}, '$(touch pwned)': {}}),
		'cron/jobs.json': JSON.stringify({jobs: [{id: 'abc12345', name: 'My digest'}]}),
		'body of mine.json': '{}',
	});
	const [node, script] = svcCommand;
	await writeFile(home.file('svc'), `#!/bin/sh\nexec '${node}' '${script}' "$@"\n`);
	await chmod(home.file('svc'), 0o755);
	return home;
};

const inShell = async (home: TemporaryHome, shell: string, args: readonly string[]) => {
	const environment = svcEnvironment({home: home.path});
	const {stdout, stderr} = await run(shell, [...args], {
		cwd: home.path,
		env: {...environment, PATH: [home.path, environment.PATH].join(delimiter)},
		timeout: 50_000,
	});
	expect(stderr).toBe('');
	return stdout.split('\n').slice(0, -1);
};

/** Lets the function of the script complete each line, as readline cuts it into words. */
const inBash = async (home: TemporaryHome, lines: ReadonlyArray<readonly string[]>) =>
	inShell(home, 'bash', [
		'--norc',
		'-c',
		[
			'set -u',
			'source <(svc completion bash)',
			'complete -p svc',
			...lines.map(
				words =>
					`COMP_WORDS=(svc ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _svc; printf '%s,' "\${COMPREPLY[@]-}"; echo`,
			),
		].join('\n'),
	]);

test('bash: commands, names, values behind "=", files; no name is read as code', async context => {
	need('bash', context);
	await using home = await open();

	expect(
		await inBash(home, [
			['gro'],
			['webhook', 'pause', 'p'],
			['webhook', 'pause', ''],
			['runs', 'list', '--state', '=', 'que'],
			['cron', 'show', 'My'],
			['deliveries', 'import', 'body'],
			['nowhere', ''],
		]),
	).toEqual([
		'complete -F _svc svc',
		'groups,',
		'push-main,',
		String.raw`push-main,\$\(touch\ pwned\),`,
		'queued,',
		String.raw`My\ digest,`,
		'body of mine.json,',
		',',
	]);
});

test('zsh takes its script, and completes a command', async context => {
	need('zsh', context);
	await using home = await open();

	const script = [
		'autoload -Uz compinit; compinit -D -u',
		'source <(svc completion zsh)',
		'compadd() { print -l -- "${values[@]}" }',
		'words=(svc gro); CURRENT=2; _svc',
	].join('\n');
	expect(await inShell(home, 'zsh', ['-f', '-c', script])).toEqual(['groups']);
});

test('fish takes its script, and completes commands and names', async context => {
	need('fish', context);
	await using home = await open();

	const script =
		'svc completion fish | source; complete -C "svc gro"; complete -C "svc webhook pause p"';
	expect(
		(await inShell(home, 'fish', ['--no-config', '-c', script])).map(line => line.split('\t')[0]),
	).toEqual(['groups', 'push-main']);
});

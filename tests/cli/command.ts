import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {expect} from 'vitest';
import type {ExitCode} from '../../source/cli/console/context.ts';
import {runCommand} from '../../source/cli/run-command.ts';
import {type Clock, systemClock} from '../../source/core/clock.ts';
import {silentLogger} from '../../source/core/log.ts';
import {startControlServer} from '../../source/gateway/control/control-server.ts';
import type {GatewayPort} from '../../source/gateway/port.ts';

export type Ran = {readonly code: ExitCode; readonly stdout: string; readonly stderr: string};

type World = {
	/** Path of the data directory. */
	readonly home: string;
	readonly environment?: Readonly<Record<string, string>>;
	readonly stdin?: string;
	/** Columns of the terminal; a pipe when absent. */
	readonly columns?: number;
	readonly clock?: Clock;
};

/** Runs a command line in this process, in a world of its own. */
export async function command(
	args: readonly string[],
	{home, environment = {}, stdin = '', columns, clock = systemClock}: World,
): Promise<Ran> {
	const streams = {stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough()};
	streams.stdin.end(stdin);
	const texts = {stdout: '', stderr: ''};
	for (const name of ['stdout', 'stderr'] as const) {
		streams[name].setEncoding('utf8').on('data', (text: string) => {
			texts[name] += text;
		});
	}

	if (columns !== undefined) {
		Object.assign(streams.stdout, {isTTY: true, columns});
	}

	const code = await runCommand(args, {
		stdin: streams.stdin as unknown as NodeJS.ReadStream,
		stdout: streams.stdout as unknown as NodeJS.WriteStream,
		stderr: streams.stderr as unknown as NodeJS.WriteStream,
		environment: {
			PATH: process.env['PATH'] ?? '',
			HOME: home,
			SVC_HOME: home,
			API_ENABLED: 'false',
			...environment,
		},
		clock,
	});
	return {code, ...texts};
}

/** The result of a command that succeeds and says nothing beside its JSON. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read it by path
export async function commandJson(args: readonly string[], world: World): Promise<any> {
	const {code, stdout, stderr} = await command([...args, '--json'], world);
	expect({code, stderr}).toEqual({code: 0, stderr: ''});
	return JSON.parse(stdout);
}

/** Lets commands of `home` find `port` as the gateway that runs. */
export async function serveControl(home: string, port: GatewayPort): Promise<AsyncDisposable> {
	await mkdir(join(home, 'run'), {recursive: true});
	return startControlServer(
		{port, version: '0.0.0-test', log: silentLogger},
		{socket: join(home, 'run', 'gateway.sock')},
	);
}

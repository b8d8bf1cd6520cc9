import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import type {ToolServerConfig} from '../../../source/config/tool-server.ts';
import {flagsInTests} from '../../helpers/processes.ts';
import {remoteServer} from './http-server.ts';
import {compileCache, stdioServer} from './stdio-server.ts';

const program = fileURLToPath(new URL('hostile-program.ts', import.meta.url));

export const waysToHostiles = ['stdio', 'json', 'stream', 'sse'] as const;

export type WayToHostile = (typeof waysToHostiles)[number];

export type HostileServer = AsyncDisposable & {readonly server: ToolServerConfig};

/** A server in a process of its own that lists its tools as `manner` says; see `hostile-peer.ts`. */
export async function startHostile(
	way: WayToHostile,
	{
		manner = 'plain',
		env = {},
	}: {readonly manner?: string; readonly env?: Record<string, string>} = {},
): Promise<HostileServer> {
	if (way === 'stdio') {
		return {
			server: stdioServer(process.execPath, [...flagsInTests, program, way, manner], {
				...compileCache,
				...env,
			}),
			async [Symbol.asyncDispose]() {},
		};
	}

	const child = spawn(process.execPath, [...flagsInTests, program, way, manner], {
		env: {PATH: process.env['PATH'], ...compileCache, ...env},
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const exited = once(child, 'exit');
	const [port] = await once(createInterface({input: child.stdout}), 'line');
	const path = way === 'sse' ? 'sse' : 'mcp';
	return {
		server: remoteServer(`http://127.0.0.1:${port}/${path}`, {
			transport: way === 'sse' ? 'sse' : 'http',
		}),
		async [Symbol.asyncDispose]() {
			child.kill('SIGKILL');
			await exited;
		},
	};
}

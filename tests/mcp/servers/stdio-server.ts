import {fileURLToPath} from 'node:url';
import type {StdioEndpoint} from '../../../source/config/tool-server.ts';
import {officialProgram} from '../../helpers/official-program.ts';
import {toolServer} from './tool-server.ts';

/** Lets Node keep what it compiled of a server, which gets nothing of the environment of the tests otherwise. */
export const compileCache: Readonly<Record<string, string>> = {
	NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A server of our own that behaves as `manner` says; see `stdio-program.mjs`. */
export const ownServer = (manner: string, {extra = '', env = {}} = {}) =>
	stdioServer(process.execPath, [program('stdio-program.mjs'), manner, extra], env);

/** A server of 2026-07-28 that serves or rejects the handshake of older ones. */
export const eraServer = (handshake: 'serve' | 'reject') =>
	stdioServer(process.execPath, [program('era-program.ts'), handshake], compileCache);

/** Another official server. */
export const officialServer = (name: 'filesystem' | 'memory', args: readonly string[] = []) =>
	stdioServer(process.execPath, [officialProgram(name), ...args], compileCache);

/** The official server that shows every feature. */
export const everythingServer = () =>
	stdioServer(process.execPath, [officialProgram('everything'), 'stdio'], compileCache);

export const stdioServer = (
	command: string,
	args: readonly string[] = [],
	env: Readonly<Record<string, string>> = {},
) => toolServer<StdioEndpoint>({transport: 'stdio', command, args, env});

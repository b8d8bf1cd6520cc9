import {existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {extname, join} from 'node:path';
import {addressScope} from '../../core/address-scope.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import type {HostRule} from '../../core/hosts.ts';
import {refusePlantedFolder} from '../../core/own-files.ts';
import {partUrl} from '../../core/program.ts';
import type {World} from '../../core/world.ts';
import type {SandboxPlan, SandboxSocket} from './plan.ts';

/** A server outside that a sandbox reaches by a Unix socket, and the settings that point programs inside to it. */
export type Egress = {
	readonly socket: SandboxSocket;
	/** The port of 127.0.0.1 inside, for programs that do not support Unix sockets. */
	readonly port: number;
	readonly mounts: SandboxPlan['mounts'];
	readonly env: SandboxPlan['env'];
};

type HostsOptions = {
	readonly hosts: readonly HostRule[];
	/** The setting that lists the hosts, for messages: `sandbox.hosts`. */
	readonly setting: string;
	/** Receives a safe sentence for each refused host; must not throw. */
	readonly note: (text: string) => void;
	readonly signal: AbortSignal;
	/** The folder of all profiles. */
	readonly svcHome: string;
};

/** The folder of sockets inside, read-only. */
export const insideFolder = '/run/svc';

/** Above the range of ephemeral ports. */
export const insidePorts = {proxy: 61_080, forge: 61_081} as const;

/**
 * Opens the proxy to listed hosts; it is closed with `stack`.
 *
 * Rejects as `socketFolder` and `openProxy` do.
 *
 * @see manual/sandbox-network.md#hosts
 */
export async function openHosts(
	{hosts, setting, note, signal, svcHome}: HostsOptions,
	{clock}: Pick<World, 'clock'>,
	stack: AsyncDisposableStack,
): Promise<Egress> {
	const {openProxy} = await import('./proxy.ts');
	const {socket: outside} = stack.use(
		await openProxy(
			{
				folder: socketFolder(svcHome, stack),
				rules: hosts,
				setting,
				signal,
				onRefused({host, port, reason}) {
					const place = port === undefined ? host : `${host}:${port}`;
					note(`The sandbox did not reach "${place}": ${reason}`);
				},
			},
			{clock},
		),
	);
	return {
		socket: {outside, inside: join(insideFolder, 'proxy.sock')},
		port: insidePorts.proxy,
		mounts: [],
		env: proxyVariables(hosts),
	};
}

/** Inaccessible to every sandbox, even if listed. */
const socketsOf = (svcHome: string): string => join(svcHome, 'run', 'out');

/** Socket paths are limited to 104 bytes on macOS and 108 on Linux. */
const maxSocketBytes = 90;

/** The socket folders of this process. */
const foldersInUse = new Set<string>();

/**
 * Creates a folder (mode 0700) for one socket, removed with `stack`: in `run/out/` of `svcHome`, or in the temporary folder if the socket's path would be too
 * long.
 *
 * Throws `file_planted`, or an error of the file system.
 */
export function socketFolder(svcHome: string, stack: AsyncDisposableStack): string {
	const sockets = socketsOf(svcHome);
	const longest = join(sockets, `${process.pid}-xxxxxx`, 'proxy.sock');
	const isShort = Buffer.byteLength(longest) <= maxSocketBytes;
	if (isShort) {
		refusePlantedFolder(sockets);
		mkdirSync(sockets, {recursive: true, mode: 0o700});
	}

	const folder = mkdtempSync(
		isShort ? join(sockets, `${process.pid}-`) : join(tmpdir(), 'svc-out-'),
	);
	foldersInUse.add(folder);
	stack.defer(() => {
		foldersInUse.delete(folder);
		rmSync(folder, {recursive: true, force: true});
	});
	return folder;
}

/** Removes socket folders in `svcHome` left by killed processes. Never throws. */
export function sweepSocketFolders(svcHome: string, {log}: Pick<World, 'log'>): void {
	const sockets = socketsOf(svcHome);
	try {
		for (const name of existsSync(sockets) ? readdirSync(sockets) : []) {
			const folder = join(sockets, name);
			const [, pid] = /^(\d+)-\w{6}$/.exec(name) ?? [];
			// This process may have the number of one that was killed.
			const isInUse =
				Number(pid) === process.pid ? foldersInUse.has(folder) : isProcess(Number(pid));
			if (pid !== undefined && !isInUse) {
				rmSync(folder, {recursive: true, force: true});
			}
		}
	} catch (error) {
		log.warn('Cannot remove folders of sockets: it is tried again at the next start', {
			folder: sockets,
			error: messageOf(error),
		});
	}
}

function isProcess(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return codeOf(error) !== 'ESRCH';
	}
}

function proxyVariables(hosts: readonly HostRule[]): Readonly<Record<string, string>> {
	const proxy = `http://127.0.0.1:${insidePorts.proxy}`;
	// If the machine's own loopback is listed, loopback addresses go through the proxy too.
	const isLoopbackListed = hosts.some(
		({host}) => host === 'localhost' || addressScope(host ?? '') === 'loopback',
	);
	const variables = {
		HTTP_PROXY: proxy,
		HTTPS_PROXY: proxy,
		ALL_PROXY: proxy,
		...(!isLoopbackListed && {NO_PROXY: 'localhost,127.0.0.1,::1'}),
	};
	const small = Object.entries(variables).map(([name, value]) => [name.toLowerCase(), value]);
	// Some programs read only the lower-case names; Node reads neither unless told to.
	return {...variables, ...Object.fromEntries(small), NODE_USE_ENV_PROXY: '1'};
}

/** Adds servers outside to a plan: their sockets, and a forwarder that listens at their ports before the command starts. */
export function withEgress(plan: SandboxPlan, ways: readonly Egress[]): SandboxPlan {
	if (ways.length === 0) {
		return plan;
	}

	const program = realpathSync(partUrl(import.meta.url, 'forward.ts', 'forward.js'));
	const node = join(insideFolder, 'node');
	const script = join(insideFolder, `forward.m${extname(program).slice(1)}`);
	return {
		...plan,
		mounts: [
			...plan.mounts,
			...ways.flatMap(({mounts}) => mounts),
			{kind: 'read', from: realpathSync(process.execPath), path: node},
			{kind: 'read', from: program, path: script},
		],
		env: {...plan.env, ...Object.assign({}, ...ways.map(({env}) => env))},
		sockets: [...plan.sockets, ...ways.map(({socket}) => socket)],
		prelude: [
			node,
			script,
			...ways.map(({port, socket: {inside}}) => `${port}=${inside}`),
			'--',
			...plan.prelude,
		],
	};
}

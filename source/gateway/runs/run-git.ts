import {lstatSync, readdirSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {networkVariables} from '../../core/network-variables.ts';
import {orElse} from '../../core/or-else.ts';
import {type GroupExit, runInGroup} from '../../core/process-group.ts';
import type {PrefetchWorld} from './get-diff.ts';

export type CheckoutBounds = {
	/** Limit of the fetched bytes, and of the size of all files. */
	readonly bytes: number;
	readonly files: number;
	/** Time limit of all steps together. */
	readonly timeoutMs: number;
};

export type GitWork = Pick<PrefetchWorld, 'clock' | 'environments' | 'signal'> & {
	/** The work tree, which contains `.git`. */
	readonly folder: string;
	/** The only host that gets the credentials. */
	readonly host: string;
	readonly bounds: CheckoutBounds;
	/** Time left for all steps. */
	readonly leftMs: () => number;
};

/** `above-bytes`: git was ended because it received more than the limit. */
export type GitExit = GroupExit | {readonly kind: 'above-bytes'};

/** Bytes that git has received so far, all in one pack. */
export function fetchedBytes({folder}: Pick<GitWork, 'folder'>): number {
	const packs = join(folder, '.git/objects/pack');
	return orElse(
		() =>
			readdirSync(packs)
				.map(name => lstatSync(join(packs, name), {throwIfNoEntry: false})?.size ?? 0)
				.reduce((sum, size) => sum + size, 0),
		0,
	);
}

const lookEveryMs = 50;

/** Maximum number of bytes per file in a listing. */
const listedBytes = 400;

/** Kilobytes of address space for a process: a small pack may contain large files. */
const maxAddressSpace = 4_194_304;

const stderrRule = {limitBytes: 16 * 1024, above: 'keep-start'} as const;

/** Runs git with this configuration only. `credentials`: the answer to the code host's question for them, in the format of a credential helper. Never rejects. */
export async function git(
	work: GitWork,
	args: readonly string[],
	credentials?: Buffer,
): Promise<GitExit> {
	const {clock, bounds, folder, signal, environments, host} = work;
	const above = new AbortController();
	const exit = await runInGroup(
		{
			command: '/bin/sh',
			args: [
				'-c',
				`ulimit -v ${maxAddressSpace} 2>/dev/null; exec git "$@"`,
				'git',
				...settings(host).flatMap(setting => ['-c', setting]),
				...args,
			],
			env: environmentOf(folder, environments),
			// No folder near the gateway may influence it, least of all that of the checkout.
			cwd: '/',
			input: '',
			stdout: {limitBytes: bounds.files * listedBytes, above: 'stop'},
			stderr: stderrRule,
			timeoutMs: Math.max(1, work.leftMs()),
			termGraceMs: 0,
			signal,
			killed: above.signal,
			feeds: credentials ? [credentials] : [],
			onStart: () => watchFetched(work, above),
		},
		{clock},
	);
	return above.signal.aborted ? {kind: 'above-bytes'} : exit;
}

/** Aborts `above` as soon as more bytes than the limit have been received. */
function watchFetched(work: GitWork, above: AbortController): Disposable {
	const look = () => {
		if (fetchedBytes(work) > work.bounds.bytes) {
			above.abort();
		} else {
			cancel = work.clock.after(lookEveryMs, look);
		}
	};

	let cancel = work.clock.after(lookEveryMs, look);
	return {
		[Symbol.dispose]() {
			cancel();
		},
	};
}

const settings = (host: string): readonly string[] => [
	'core.hooksPath=/dev/null',
	'core.fsmonitor=false',
	'core.attributesFile=/dev/null',
	'core.excludesFile=/dev/null',
	'core.symlinks=true',
	'core.protectHFS=true',
	'core.protectNTFS=true',
	// Larger files are streamed to disk, not held in memory.
	'core.bigFileThreshold=16m',
	'pack.threads=1',
	// Always one pack, whose size can be watched.
	'fetch.unpackLimit=1',
	'fetch.recurseSubmodules=false',
	'submodule.recurse=false',
	'maintenance.auto=false',
	'gc.auto=0',
	'protocol.allow=never',
	'protocol.https.allow=always',
	'http.followRedirects=false',
	'credential.helper=',
	// `#` makes a comment of what git appends.
	`credential.https://${host}.helper=!cat <&3 #`,
	'advice.detachedHead=false',
];

/** The environment of git, without anything of the person's: no configuration, no keys, no prompts. */
function environmentOf(
	folder: string,
	{own, profile}: PrefetchWorld['environments'],
): Readonly<Record<string, string>> {
	const network = networkVariables(profile);
	const authorities = network['SSL_CERT_FILE'];
	return {
		PATH: (own['PATH'] ?? '')
			.split(delimiter)
			.filter(one => one.startsWith('/'))
			.join(delimiter),
		...network,
		...(authorities !== undefined && {GIT_SSL_CAINFO: authorities}),
		HOME: '/nonexistent',
		XDG_CONFIG_HOME: '/nonexistent',
		LC_ALL: 'C',
		GIT_DIR: join(folder, '.git'),
		GIT_WORK_TREE: folder,
		GIT_CONFIG_NOSYSTEM: '1',
		GIT_CONFIG_GLOBAL: '/dev/null',
		GIT_ATTR_NOSYSTEM: '1',
		GIT_TERMINAL_PROMPT: '0',
	};
}

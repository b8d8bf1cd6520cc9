import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {parseExactly} from '../../core/json.ts';
import {type GroupExit, runInGroup} from '../../core/process-group.ts';
import type {ErrorCode} from '../../manual/error-codes.ts';
import {failureOfClient} from '../../platforms/forge-comment/forge-failure.ts';

/** An answer of the code host's API. */
export type ForgeAnswer = {
	/** The JSON body, with its numbers unchanged. */
	readonly value: unknown;
	/** The parameters of the next page; absent on the last one. */
	readonly next?: Readonly<Record<'cursor' | 'page', string | undefined>>;
};

export type ForgeApi = {
	/**
	 * Reads a resource: a path below the API's root without leading slash, and its query.
	 *
	 * @throws SvcError `forge_*`, `interrupted`
	 */
	get(path: string, query?: Readonly<Record<string, string | undefined>>): Promise<ForgeAnswer>;
};

/** The page size: the largest that the code host allows. */
export const pageSize = 100;

const timeoutMs = 60_000;

/** The time between SIGTERM and SIGKILL. */
const termGraceMs = 2000;

/** A delivery contains its whole payload, which the code host limits to 25 MiB. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** A client that writes more to standard error is stopped. */
const maxComplaintBytes = 1024 * 1024;

export type ForgeApiOptions = {
	/** The client: a program's name or path. @see manual/delivery-forge-comment.md */
	readonly cli: string;
	/** The client's whole environment. */
	readonly environment: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	/** Makes the client's output safe for an error message. */
	readonly clean: (text: string) => string;
};

const accept = 'Accept: application/vnd.github+json';

const reading = ['api', '--include', '--method', 'GET', '--header', accept];

/** The code host's REST API through its own client, which knows the host and the user's identity. Without a shell, one process per call, each at most a minute. */
export function createForgeApi(
	{cli, environment, signal, clean}: ForgeApiOptions,
	{clock}: {readonly clock: Clock},
): ForgeApi {
	return {
		async get(path, query = {}) {
			const parameters = Object.entries(query).flatMap(([name, value]) =>
				value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
			);
			const resource = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
			const exit = await runInGroup(
				{
					command: cli,
					args: [...reading, resource],
					env: environment,
					cwd: '/',
					input: '',
					stdout: {limitBytes: maxAnswerBytes, above: 'stop'},
					stderr: {limitBytes: maxComplaintBytes, above: 'stop'},
					timeoutMs,
					termGraceMs,
					signal,
				},
				{clock},
			);
			if (exit.kind === 'exited' && exit.code === 0) {
				return answerOf(exit.stdout, cli);
			}

			const {code, reason} = failureOf(exit, cli);
			throw new SvcError(code, `Cannot read "${path}" of the code host: ${clean(reason)}`);
		},
	};
}

/** The entries of a list, page by page, until `most` are read. A page may contain more entries than requested. */
export async function* pagesOf(
	api: ForgeApi,
	path: string,
	most: number,
): AsyncGenerator<{readonly entries: readonly unknown[]; readonly isLast: boolean}> {
	let next: ForgeAnswer['next'];
	for (let count = 0; count < most && (count === 0 || next); count++) {
		// oxlint-disable-next-line no-await-in-loop -- each page names the next
		const answer = await api.get(path, {per_page: `${pageSize}`, ...next});
		({next} = answer);
		yield {entries: Array.isArray(answer.value) ? answer.value : [], isLast: !next};
	}
}

function failureOf(
	exit: GroupExit,
	cli: string,
): {readonly code: ErrorCode; readonly reason: string} {
	switch (exit.kind) {
		case 'timeout':
			return {code: 'forge_failed', reason: `"${cli}" was not done within ${timeoutMs / 1000} s`};
		case 'too-much-output':
			return {code: 'forge_failed', reason: `"${cli}" said more than can be read and was ended`};
		case 'aborted':
			return {code: 'interrupted', reason: `"${cli}" was ended`};
		case 'not-started':
			return failureOfClient(exit, cli);
		case 'exited':
			// With --include, standard output holds the answer; the error message is on stderr.
			return failureOfClient({...exit, stdout: ''}, cli);
	}
}

/** Parses head and body as printed by `--include`. @throws SvcError `forge_failed` */
function answerOf(text: string, cli: string): ForgeAnswer {
	const [, head = '', body = ''] = /^(HTTP\/[^]*?)\r?\n\r?\n([^]*)$/.exec(text) ?? [];
	try {
		const value = parseExactly(body);
		const next = nextOf(head);
		return {value, ...(next && {next})};
	} catch (error) {
		throw new SvcError(
			'forge_failed',
			`Cannot use what "${cli} api" answered: it is not JSON below a head`,
			{cause: error},
		);
	}
}

/** The parameters of the `next` link. Only these are used: the answer must not decide which host is asked. */
function nextOf(head: string): ForgeAnswer['next'] {
	const [, links = ''] = /^link:[ \t]*(.*)$/im.exec(head) ?? [];
	const [, address = ''] = /<([^<>]*)>;[ \t]*rel="next"/.exec(links) ?? [];
	const query = URL.parse(address)?.searchParams;
	const cursor = query?.get('cursor') ?? undefined;
	const page = query?.get('page') ?? undefined;
	return cursor === undefined && page === undefined ? undefined : {cursor, page};
}

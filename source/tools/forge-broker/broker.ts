import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {createDeadline} from '../../core/clock.ts';
import {codeOf, messageOf} from '../../core/errors.ts';
import {createRedact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import {malformationOf, respond, readBody} from '../../http/http-messages.ts';
import {serveAt} from '../../http/listen.ts';
import {type CodeHost, type CodeHostSend, createCodeHost} from './code-host.ts';
import {type ForgeRepository, judgeRequest} from './judge-request.ts';

/** A request from the sandbox that the broker refused. Strangers' text, escaped. */
export type RefusedRequest = {
	readonly method: string;
	/** At most 300 characters. */
	readonly path: string;
	readonly reason: string;
};

type ForgeBrokerOptions = {
	/** Created (mode 0700) if missing. Its socket is `forge.sock` (mode 0600). */
	readonly folder: string;
	/** The event's repository; absent: everything is refused. */
	readonly repository?: ForgeRepository;
	/** The output of `<forge_cli> auth token`. */
	readonly token: string;
	/** Called for the first 100 refusals. */
	readonly onRefused: (refused: RefusedRequest) => void;
	/** Aborting ends the broker, like disposal. */
	readonly signal: AbortSignal;
};

type BrokerWorld = Pick<World, 'clock' | 'log'> & {
	/** Sends a request to the code host. */
	readonly send: CodeHostSend;
};

const maxConnections = 64;
const maxHeaderBytes = 16_384;
const maxBodyBytes = {graphql: 256 * 1024, git: 4 * 1024 * 1024, rest: 0} as const;
/** The most bytes of all bodies that a broker buffers at a time. */
const maxHeldBytes = 32 * 1024 * 1024;
const idleMs = 60_000;
const maxRefusals = 100;

/** How many different failures of the code host are logged per run. */
const maxFailures = 20;

/**
 * Gives a sandbox access to one repository of the code host: `gh` and git speak HTTP to a Unix socket, without credentials; the broker forwards permitted requests
 * with the token added. No answer contains the token. Redirects are not followed, because they lead out of the repository.
 *
 * @see manual/sandbox-network.md#forge
 */
export async function openForgeBroker(
	{folder, repository, token, onRefused, signal}: ForgeBrokerOptions,
	{clock, log, send}: BrokerWorld,
): ReturnType<typeof serveAt> {
	signal.throwIfAborted();
	let host: CodeHost | undefined;
	let refusals = 0;
	let held = 0;
	const redact = createRedact(() => [token]);
	const failures = new Set<string>();
	const failed = (error: unknown) => {
		// The cause of a `fetch` error says more.
		const cause = error instanceof Error ? (error.cause ?? error) : error;
		const reason = escapeLine(redact(messageOf(cause) || codeOf(cause)), 300);
		if (failures.size < maxFailures && !failures.has(reason)) {
			failures.add(reason);
			log.warn('The broker of the forge got no answer from the code host', {reason});
		}
	};

	const answer = async (request: IncomingMessage, response: ServerResponse) => {
		const {method = '', url: asked = '', headers} = request;
		const isGit = /^(?:127\.0\.0\.1|localhost)\b/.test(headers.host ?? '');
		const refuse = (status: number, reason: string) => {
			if (status === 403 && (refusals += 1) <= maxRefusals) {
				onRefused({method: escapeLine(method, 20), path: escapeLine(asked, 300), reason});
			}

			const text = `The broker of the forge did not send this request: ${reason}`;
			const body = isGit
				? {body: `${text}\n`, contentType: 'text/plain; charset=utf-8'}
				: {body: JSON.stringify({message: text})};
			respond({request, response, awaitsContinue: false}, {status, ...body, close: true}, clock);
		};

		const malformation = malformationOf(request);
		if (malformation !== undefined) {
			refuse(400, malformation);
			return;
		}

		if (!repository) {
			refuse(403, 'the event is about no repository');
			return;
		}

		const verdict = judgeRequest({method, url: asked, host: headers.host ?? ''}, repository);
		if (verdict.kind === 'refused') {
			refuse(403, verdict.reason);
			return;
		}

		const {kind, url} = verdict;
		const codeHost = (host ??= createCodeHost({repository, token, send}));
		const abort = new AbortController();
		using idle = createDeadline(clock, () => {
			abort.abort();
			response.destroy();
		});
		idle.move(idleMs);
		response.once('close', () => abort.abort());
		using room = new DisposableStack();
		const takeRoom = (bytes: number): boolean => {
			held += bytes;
			room.defer(() => {
				held -= bytes;
			});
			return held <= maxHeldBytes;
		};
		const read = await readBody(request, maxBodyBytes[kind], takeRoom);
		if (read.kind === 'too-large' && held > maxHeldBytes) {
			refuse(503, 'too much is being sent at a time');
		} else if (read.kind === 'too-large') {
			refuse(413, 'its body is too long');
		}

		if (read.kind !== 'whole') {
			return;
		}

		let body: Buffer | string = read.body;
		if (kind === 'graphql') {
			// Loaded by the first query, because most calls of the terminal send none.
			const {judgeQuery} = await import('./judge-query.ts');
			const query = judgeQuery(body.toString(), repository);
			const reason = query.ok
				? await codeHost.refusalOfNodes(query.nodes, {url, signal: abort.signal})
				: query.reason;
			if (!query.ok || reason !== undefined) {
				refuse(403, escapeLine(reason ?? '', 300));
				return;
			}

			({body} = query);
		}

		const found = await codeHost.ask(url, {
			kind,
			method,
			headers,
			...(method === 'POST' && {body}),
			signal: abort.signal,
		});
		if (found.status >= 300 && found.status < 400 && found.status !== 304) {
			await found.body?.cancel();
			refuse(403, 'the code host redirects it, and redirects are not followed');
			return;
		}

		await codeHost.carryBack(found, response, () => idle.move(idleMs));
	};

	const server = createServer({
		headersTimeout: 10_000,
		keepAliveTimeout: 5000,
		requestTimeout: idleMs,
		maxHeaderSize: maxHeaderBytes,
		requireHostHeader: false,
	});
	server.maxConnections = maxConnections;
	server.on('request', (request, response) => {
		void answer(request, response).catch((error: unknown) => {
			if (!response.destroyed && !signal.aborted) {
				failed(error);
			}

			if (response.headersSent) {
				response.destroy();
			} else {
				response.writeHead(502, {'Content-Type': 'application/json', Connection: 'close'});
				response.end(JSON.stringify({message: 'The code host cannot be reached'}));
			}
		});
	});
	const close = () => {
		server.close();
		server.closeAllConnections();
	};

	return serveAt(server, {folder, name: 'forge.sock', signal, close});
}

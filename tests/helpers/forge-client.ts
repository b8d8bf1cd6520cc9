import {once} from 'node:events';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';

/** One call of the client, as it saw it. */
export type ForgeCall = {
	/** The name of the program: `gh`, `glab` or `tea`. */
	readonly client: string;
	readonly args: readonly string[];
	readonly body: string;
	/** The body without the mark of the gateway at its end. */
	readonly text: string;
	readonly environment: Readonly<Record<string, string>>;
};

/** What `gh api --include RESOURCE` prints. */
export type ForgeResource = {
	/** Text is printed as it is, anything else as JSON. */
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
};

/** A comment on the code host. */
export type ForgeComment = {
	readonly id: number;
	/** `acme/api#7`. */
	readonly place: string;
	readonly text: string;
};

/** A call that is not answered. */
export type HangingCall = {
	/** Resolves when the client has called. */
	readonly called: Promise<void>;
	/** Resolves when the client is gone. */
	readonly gone: Promise<void>;
};

export type ForgeClient = AsyncDisposable & {
	/** A `PATH` on which the client comes first. */
	readonly path: string;
	/** Every call so far, oldest first. */
	calls(): Promise<readonly ForgeCall[]>;
	/** The comments that stand on the code host, oldest first. */
	comments(): Promise<readonly ForgeComment[]>;
	/** Somebody deletes a comment. */
	remove(id: number): Promise<void>;
	/** From now on the client complains with `message` and exits with 1; `undefined`: it works again. */
	fail(message: string | undefined): Promise<void>;
	/** The same, after it has made or changed a comment and before it says so. */
	failAfterwards(message: string | undefined): Promise<void>;
	/** From now on `api` answers with these, by the resource that is asked for; others are not found. */
	serve(resources: Readonly<Record<string, ForgeResource>>): Promise<void>;
	/** From now on these are the diffs of pull requests, by `acme/api#7`; others are not found. */
	serveDiffs(some: Readonly<Record<string, string>>): Promise<void>;
	/** The next call is not answered. */
	hang(): HangingCall;
};

/** What `auth token` prints. */
export const tokenOfClient = 'ghs_tokenOfTheClient0123456789';

// Bash, which starts in a tenth of the time that Node takes, and hands each call to the process of the test.
const program = (port: number) => `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port} || exit 1
body=$(cat; printf x)
body=\${body%x}
{
	printf '%s\\0' "\${0##*/}" "$#" "$@"
	for name in $(compgen -e); do printf '%s\\0' "$name=\${!name}"; done
	LC_ALL=C
	printf '\\0%s\\0%s' "\${#body}" "$body"
} >&3
IFS= read -r -d '' complaint <&3
cat <&3
printf '%s' "$complaint" >&2
[ -z "$complaint" ]
`;

type Said = {readonly output?: string; readonly complaint?: string};

const notFound = (output: string): Said => ({output, complaint: 'gh: Not Found (HTTP 404)\n'});

/** Clients of code hosts named `gh`, `glab` and `tea` in a folder of their own, and the code host behind them. */
export async function installForgeClient(): Promise<ForgeClient> {
	const calls: ForgeCall[] = [];
	const comments = new Map<number, Omit<ForgeComment, 'text'> & {readonly body: string}>();
	let resources: Readonly<Record<string, ForgeResource>> = {};
	let diffs: Readonly<Record<string, string>> = {};
	let hanging: {called: () => void; gone: () => void} | undefined;
	let failure: string | undefined;
	let failureAfterwards: string | undefined;

	const add = (place: string, body: string): number => {
		const id = Math.max(999, ...comments.keys()) + 1;
		comments.set(id, {id, place, body});
		return id;
	};

	/** `api --method METHOD PATH --field FIELD`. */
	const change = (args: readonly string[], body: string): Said => {
		const [, , method, path = '', , field] = args;
		const listed = /^repos\/(.+)\/issues\/(\d+)\/comments\?per_page=100&since=\d{4}-\S+Z$/.exec(
			path,
		);
		const made = /^repos\/([^/]+\/[^/]+)\/issues\/(\d+)\/comments$/.exec(path);
		const changed = comments.get(Number(/\/issues\/comments\/(\d+)$/.exec(path)?.[1]));
		if (method === 'GET') {
			const place = listed ? `${listed[1]}#${listed[2]}` : undefined;
			return {
				output: JSON.stringify([...comments.values()].filter(each => each.place === place)),
			};
		}

		if (field !== 'body=@-') {
			return {complaint: `unknown field ${field}`};
		}

		if (method === 'POST' && made) {
			return {output: JSON.stringify({id: add(`${made[1]}#${made[2]}`, body), body})};
		}

		if (method === 'PATCH' && changed) {
			comments.set(changed.id, {...changed, body});
			return {output: JSON.stringify({id: changed.id, body})};
		}

		return notFound(JSON.stringify({message: 'Not Found', status: '404'}));
	};

	const answer = ({args, body}: Pick<ForgeCall, 'args' | 'body'>): Said => {
		if (failure !== undefined) {
			return {complaint: failure};
		}

		const place = diffAskedFor(args);
		if (place !== undefined) {
			return Object.hasOwn(diffs, place) ? {output: diffs[place] ?? ''} : notFound('');
		}

		if (args[1] === '--method') {
			const said = change(args, body);
			return failureAfterwards === undefined ? said : {...said, complaint: failureAfterwards};
		}

		if (args[0] === 'issue') {
			const id = add(`${args[4]}#${args[2]}`, body);
			return {output: `https://forge.example/x#issuecomment-${id}\n`};
		}

		if (args.join(' ').startsWith('auth token')) {
			return {output: `${tokenOfClient}\n`};
		}

		if (args[0] !== 'api') {
			return {};
		}

		const resource = args.at(-1) ?? '';
		const found = Object.hasOwn(resources, resource) ? resources[resource] : undefined;
		const head = [
			`HTTP/2.0 ${found ? '200 OK' : '404 Not Found'}`,
			...Object.entries(found?.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
		];
		const content = found ? found.body : {message: 'Not Found'};
		const text = typeof content === 'string' ? content : JSON.stringify(content);
		const output = `${head.join('\r\n')}\r\n\r\n${text}`;
		return found ? {output} : notFound(output);
	};

	const server = createServer(socket => {
		let received = '';
		socket.setEncoding('latin1');
		socket.on('error', () => {});
		socket.on('data', data => {
			received += data;
			const call = callIn(received);
			if (call) {
				calls.push(call);
				if (hanging) {
					socket.once('close', hanging.gone);
					hanging.called();
					hanging = undefined;
					return;
				}

				const {output = '', complaint = ''} = answer(call);
				socket.end(`${complaint}\0${output}`);
			}
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const folder = await mkdtemp(join(tmpdir(), 'svc-forge-'));
	const {port} = server.address() as AddressInfo;
	for (const name of ['gh', 'glab', 'tea']) {
		// oxlint-disable-next-line no-await-in-loop -- three small files
		await writeFile(join(folder, name), program(port), {mode: 0o755});
	}

	return {
		path: [folder, process.env['PATH'] ?? ''].join(delimiter),
		calls: async () => [...calls],
		comments: async () =>
			[...comments.values()].map(({body, ...rest}) => ({...rest, text: withoutMark(body)})),
		async remove(id) {
			comments.delete(id);
		},
		async fail(message) {
			failure = message;
		},
		async failAfterwards(message) {
			failureAfterwards = message;
		},
		async serve(some) {
			resources = some;
		},
		async serveDiffs(some) {
			diffs = some;
		},
		hang() {
			const [called, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
			hanging = {called: called.resolve, gone: gone.resolve};
			return {called: called.promise, gone: gone.promise};
		},
		async [Symbol.asyncDispose]() {
			server.close();
			await rm(folder, {recursive: true, force: true});
		},
	};
}

/** The pull request whose diff `gh`, `glab` or `tea` is asked for: `acme/api#7`. */
function diffAskedFor(args: readonly string[]): string | undefined {
	const [noun = '', verb = '', number = '', option = '', repo = ''] = args;
	if (/^(?:pr|mr) diff --repo$/.test(`${noun} ${verb} ${option}`)) {
		return `${repo}#${number}`;
	}

	const [, path, index] = /^repos\/(.+)\/pulls\/(\d+)\.diff$/.exec(verb) ?? [];
	return noun === 'api' && path !== undefined ? `${path}#${index}` : undefined;
}

/** What the client sends of one call, one byte a unit; `undefined`: it is not all there. */
function callIn(received: string): ForgeCall | undefined {
	const [client = '', count = '', ...rest] = received.split('\0');
	const args = rest.slice(0, Number(count));
	const variables = rest.slice(args.length);
	const end = variables.indexOf('');
	const length = variables[end + 1];
	const body = variables.slice(end + 2).join('\0');
	if (
		end === -1 ||
		length === undefined ||
		variables.length < end + 3 ||
		body.length < Number(length)
	) {
		return undefined;
	}

	const utf8 = (text: string) => Buffer.from(text, 'latin1').toString();
	return {
		client,
		args: args.map(utf8),
		body: utf8(body),
		text: withoutMark(utf8(body)),
		environment: Object.fromEntries(
			variables.slice(0, end).map(variable => {
				const [name = '', ...value] = utf8(variable).split('=');
				return [name, value.join('=')];
			}),
		),
	};
}

/** A comment as its readers see it. */
export const withoutMark = (body: string): string => body.replace(/\n\n<!-- svc:\S+ -->$/, '');

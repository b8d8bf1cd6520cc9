import {chmod, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';

/** One call of the client, as it saw it. */
export type ForgeCall = {
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
};

const program = `#!${process.execPath}
const {appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} = require('node:fs');
const {join} = require('node:path');
const at = name => join(__dirname, name);
const args = process.argv.slice(2);
const body = readFileSync(0, 'utf8');
appendFileSync(at('calls'), JSON.stringify({args, body, environment: process.env}) + '\\n');
const complain = text => {
	process.stderr.write(text);
	process.exitCode = 1;
};
const notFound = () => {
	process.stdout.write(JSON.stringify({message: 'Not Found', status: '404'}));
	complain('gh: Not Found (HTTP 404)\\n');
};
const add = place => {
	mkdirSync(at('comments'), {recursive: true});
	for (let id = 1000 + readdirSync(at('comments')).length; ; id += 1) {
		try {
			writeFileSync(at('comments/' + id), JSON.stringify({id, place, body}), {flag: 'wx'});
			return id;
		} catch {}
	}
};
const list = path => {
	const [, place, number] = /^repos\\/(.+)\\/issues\\/(\\d+)\\/comments\\?per_page=100&since=\\d{4}-\\S+Z$/.exec(path) ?? [];
	const names = existsSync(at('comments')) ? readdirSync(at('comments')).sort() : [];
	const comments = names.map(name => JSON.parse(readFileSync(at('comments/' + name), 'utf8')));
	process.stdout.write(JSON.stringify(comments.filter(comment => comment.place === place + '#' + number)));
};
const change = ([, method, path, , field]) => {
	const [, owner, name, kind, number, what] = /^repos\\/([^/]+)\\/([^/]+)\\/(issues)\\/(\\d+)\\/(comments)$/.exec(path) ?? [];
	const [, id] = /\\/issues\\/comments\\/(\\d+)$/.exec(path) ?? [];
	if (method === 'GET') {
		list(path);
	} else if (field !== 'body=@-') {
		complain('unknown field ' + field);
	} else if (method === 'POST' && what) {
		process.stdout.write(JSON.stringify({id: add(owner + '/' + name + '#' + number), body}));
	} else if (method === 'PATCH' && id && existsSync(at('comments/' + id))) {
		const comment = JSON.parse(readFileSync(at('comments/' + id), 'utf8'));
		writeFileSync(at('comments/' + id), JSON.stringify({...comment, body}));
		process.stdout.write(JSON.stringify({id: comment.id, body}));
	} else {
		notFound();
	}
};
if (existsSync(at('failure'))) {
	complain(readFileSync(at('failure')));
} else if (args[1] === '--method') {
	change(args.slice(1));
	if (existsSync(at('failure-afterwards'))) {
		complain(readFileSync(at('failure-afterwards')));
	}
} else if (args[0] === 'issue') {
	process.stdout.write('https://forge.example/x#issuecomment-' + add(args[4] + '#' + args[2]) + '\\n');
} else if (args[0] === 'api') {
	const resources = JSON.parse(readFileSync(at('resources'), 'utf8'));
	const found = Object.hasOwn(resources, args.at(-1)) ? resources[args.at(-1)] : undefined;
	const head = ['HTTP/2.0 ' + (found ? '200 OK' : '404 Not Found')];
	for (const [name, value] of Object.entries(found?.headers ?? {})) {
		head.push(name + ': ' + value);
	}
	const answer = found ? found.body : {message: 'Not Found'};
	process.stdout.write(head.join('\\r\\n') + '\\r\\n\\r\\n' + (typeof answer === 'string' ? answer : JSON.stringify(answer)));
	if (!found) {
		complain('gh: Not Found (HTTP 404)\\n');
	}
}
`;

/** A code host's client named `gh` that writes down how it is called, in a folder of its own. */
export async function installForgeClient(): Promise<ForgeClient> {
	const folder = await mkdtemp(join(tmpdir(), 'svc-forge-'));
	await writeFile(join(folder, 'gh'), program);
	await chmod(join(folder, 'gh'), 0o755);
	await writeFile(join(folder, 'calls'), '');
	await writeFile(join(folder, 'resources'), '{}');
	const failBy = (name: string) => async (message: string | undefined) =>
		message === undefined ? rm(join(folder, name)) : writeFile(join(folder, name), message);
	return {
		path: [folder, process.env['PATH'] ?? ''].join(delimiter),
		async calls() {
			const text = await readFile(join(folder, 'calls'), 'utf8');
			return text
				.split('\n')
				.filter(line => line !== '')
				.map((line): ForgeCall => {
					const call: Omit<ForgeCall, 'text'> = JSON.parse(line);
					return {...call, text: withoutMark(call.body)};
				});
		},
		fail: failBy('failure'),
		failAfterwards: failBy('failure-afterwards'),
		async comments() {
			const names = await readdir(join(folder, 'comments')).catch((): string[] => []);
			const comments = await Promise.all(
				names.map(async (name): Promise<ForgeComment> => {
					const {body, ...rest}: Omit<ForgeComment, 'text'> & {body: string} = JSON.parse(
						await readFile(join(folder, 'comments', name), 'utf8'),
					);
					return {...rest, text: withoutMark(body)};
				}),
			);
			return comments.toSorted((a, b) => a.id - b.id);
		},
		remove: async id => rm(join(folder, 'comments', String(id))),
		serve: async resources => writeFile(join(folder, 'resources'), JSON.stringify(resources)),
		[Symbol.asyncDispose]: async () => rm(folder, {recursive: true, force: true}),
	};
}

/** A comment as its readers see it. */
export const withoutMark = (body: string): string => body.replace(/\n\n<!-- svc:\S+ -->$/, '');

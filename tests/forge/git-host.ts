import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import type {IncomingMessage, ServerResponse} from 'node:http';
import {createServer} from 'node:https';
import type {AddressInfo} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {temporaryHome} from '../helpers/temporary-home.ts';
import {makeCertificates} from '../mcp/servers/certificates.ts';
import {answerGit} from '../tools/forge-broker/open-code-host.ts';

/** One entry of a tree, as bytes: its name need not be one that git would write. */
export type TreeEntry = {
	readonly mode: '100644' | '100755' | '120000' | '160000' | '40000';
	readonly name: string;
	readonly id: string;
};

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

export type GitHost = AsyncDisposable & {
	/** `localhost:4711`. */
	readonly host: string;
	/** File of the authority that vouches for it. */
	readonly authority: string;
	/** Every request: method, path, and who asked. */
	readonly requests: ReadonlyArray<{
		readonly method: string;
		readonly url: string;
		readonly authorization: string | undefined;
	}>;
	/** What answers instead of git from now on. */
	answerWith(listener: Listener | undefined): void;
	/** Runs git in the repository `acme/api`; what it prints. */
	git(args: readonly string[], input?: string | Buffer): string;
	blob(content: string | Buffer): string;
	tree(entries: readonly TreeEntry[]): string;
	/** A commit of files, which becomes the head of pull request `number`. */
	serve(number: number, tree: string): string;
	/** Folder of the repository. */
	readonly repository: string;
};

/** A code host with the repository `acme/api`, over HTTPS, for whoever has `token`. */
export async function openGitHost(token: string): Promise<GitHost> {
	const stack = new AsyncDisposableStack();
	const certificates = stack.use(await makeCertificates());
	const root = stack.use(await temporaryHome());
	const repository = root.file('acme/api.git');
	const run = (args: readonly string[], input: string | Buffer = '') => {
		const {status, stdout, stderr} = spawnSync('git', args, {
			input,
			env: {
				PATH: process.env['PATH'],
				HOME: root.path,
				GIT_DIR: repository,
				GIT_AUTHOR_NAME: 'Ada',
				GIT_AUTHOR_EMAIL: 'ada@example.org',
				GIT_COMMITTER_NAME: 'Ada',
				GIT_COMMITTER_EMAIL: 'ada@example.org',
			},
		});
		if (status !== 0) {
			throw new Error(`git ${args.join(' ')}: ${stderr.toString()}`);
		}

		return stdout.toString().trim();
	};

	run(['init', '--quiet', '--bare', repository]);
	run(['config', 'uploadpack.allowAnySHA1InWant', 'true']);
	const requests: Array<GitHost['requests'][number]> = [];
	let other: Listener | undefined;
	const expected = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
	const server = createServer(certificates.server, (request, response) => {
		const {method = '', url = ''} = request;
		const {authorization} = request.headers;
		requests.push({method, url, authorization});
		if (other) {
			other(request, response);
		} else if (authorization === expected) {
			void buffer(request).then(async body =>
				answerGit(request, response, {root: root.path, body}),
			);
		} else {
			response.writeHead(401, {'WWW-Authenticate': 'Basic realm="GitHub"'});
			response.end('Who are you?');
		}
	});
	server.listen(0, 'localhost');
	await once(server, 'listening');
	stack.defer(async () => {
		server.closeAllConnections();
		server.close();
		await once(server, 'close');
	});
	return {
		host: `localhost:${(server.address() as AddressInfo).port}`,
		authority: certificates.file('ca.pem'),
		requests,
		repository,
		answerWith(listener) {
			other = listener;
		},
		git: run,
		blob: content => run(['hash-object', '-w', '--stdin'], content),
		tree: entries =>
			run(
				['hash-object', '-w', '-t', 'tree', '--stdin', '--literally'],
				Buffer.concat(
					entries.flatMap(({mode, name, id}) => [
						Buffer.from(`${mode} ${name}\0`),
						Buffer.from(id, 'hex'),
					]),
				),
			),
		serve(number, tree) {
			const commit = run(['commit-tree', tree], 'A change\n');
			run(['update-ref', `refs/pull/${number}/head`, commit]);
			return commit;
		},
		[Symbol.asyncDispose]: async () => stack.disposeAsync(),
	};
}

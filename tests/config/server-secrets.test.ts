import {expect, test} from 'vitest';
import {inlineSecret} from '../../source/config/inline-secret.ts';
import {serverSecrets} from '../../source/config/server-secrets.ts';
import {remoteServer} from '../mcp/servers/http-server.ts';
import {stdioServer} from '../mcp/servers/stdio-server.ts';

/** Nothing of these is a secret. */
const plain: ReadonlyArray<{args?: string[]; env?: Record<string, string>}> = [
	{args: ['--max-tokens', '4096']},
	{args: ['--max-tokens=4096']},
	{args: ['--max_output_tokens', '4096']},
	{args: ['--tokens', '4096']},
	{args: ['--token-limit', '20']},
	{args: ['--sort-key', 'created_at']},
	{args: ['--public-key', 'ssh-ed25519-AAAA']},
	{args: ['--partition-key=tenant']},
	{args: ['--use-token', 'true']},
	{args: ['--private-key', '~/.ssh/id_ed25519']},
	{args: ['--client-key=./client.pem']},
	{args: ['--credentials', '/path/to/file']},
	{args: ['--token-file', '/run/secrets/token']},
	{args: ['--header', 'accept: text/plain']},
	{args: ['-e', 'MODE=fast', 'https://mcp.example/mcp', 'a:b']},
	{args: ['--api-key', '--verbose']},
	{env: {TOKENIZERS_PARALLELISM: 'false'}},
	{env: {TOKENIZERS_CACHE: 'a-folder-of-models'}},
	{env: {MAX_TOKENS: '4096', MAX_TOKEN: '1', NUM_CTX_TOKENS: '8192'}},
	{env: {GOOGLE_APPLICATION_CREDENTIALS: '/path/to/file'}},
	{env: {GOOGLE_APPLICATION_CREDENTIALS: '/home/ann/key.json'}},
	{env: {X_CREDENTIALS: '/path/to/file.json'}},
	{env: {X_CREDENTIALS: '/file.json', CLIENT_KEY: '../client.key'}},
	{env: {INPUT_TOKENS: '128000', MAX_TOKEN: '100'}},
	{args: ['--api-public-key', 'ssh-ed25519-AAAA']},
	{
		args: [
			'--api-key-env',
			'OPENAI_API_KEY',
			'--token-env=GH_TOKEN',
			'--password-var',
			'PGPASSWORD',
		],
	},
	{env: {API_KEY_ENV: 'OPENAI_API_KEY'}},
	{args: ['--cache-key=v1', '--range-key', 'at', '--foreign-key', 'id', '--order-key=at']},
];

test.each(plain)('no alarm for $args $env', ({args = [], env = {}}) => {
	expect(serverSecrets(stdioServer('x', args, env))).toEqual([]);
	expect(inlineSecret('crm', {command: 'x', args, env})).toBeUndefined();
});

/** The secret is among the texts that are hidden, and is not written into a file. */
const secret: ReadonlyArray<{args?: string[]; env?: Record<string, string>; hidden?: string}> = [
	{args: ['--header', 'x-api-key:abc']},
	{args: ['--header', 'x-api-key: abc']},
	{args: ['--header=X-Api-Key:abc']},
	{args: ['-H', 'Authorization: Bearer abc']},
	{args: ['--header', 'Authorization: Bearer abc']},
	{args: ['--header', 'Authorization:Bearer abc']},
	{args: ['run', '-e', 'GITHUB_TOKEN=abc', 'image']},
	{args: ['API_KEY=abc']},
	{args: ['--token', 'abc']},
	{args: ['--api-key-env', 'abc']},
	{args: ['--token-env=abc']},
	{args: ['--token=abc']},
	{args: ['--password', '12345678'], hidden: '12345678'},
	{args: ['--api-key', '/ab/cd0fgh'], hidden: '/ab/cd0fgh'},
	{env: {ADMIN_TOKEN: 'abc'}},
	{env: {PERSONAL_TOKEN: 'abc', MODE: 'fast'}},
	{env: {PROMPT_API_TOKEN: 'abc'}},
	{env: {MAX_SECRET: 'abc'}},
	{env: {AWS_SECRET_ACCESS_KEY: '/ab/cd'}, hidden: '/ab/cd'},
	{env: {DB_PASS: 'abc'}},
	...[
		'COSMOS_PRIMARY_KEY',
		'AZURE_TABLE_PRIMARY_KEY',
		'GCP_JSON_KEY',
		'GOOGLE_MAP_KEY',
		'SESSION_HASH_KEY',
		'SECRET_HASH_KEY',
		'API_SECRET_JSON_KEY',
		'SORT_KEY',
		'PUBLIC_KEY',
		'MAX_TOKEN',
		'MAX_TOKENS',
		'INPUT_TOKENS',
		'TOKEN_LIMIT',
	].map(name => ({env: {[name]: 'abc'}})),
	...['primary', 'json', 'hash', 'map', 'group', 'object', 'public-secret', 'sort-api'].map(
		word => ({
			args: [`--${word}-key=abc`],
		}),
	),
	{args: ['--max-tokens', 'abc']},
	{args: ['-e', 'PARTITION_KEY=abc']},
	{args: ['--header', 'x-public-key: abc']},
	{env: {GOOGLE_CREDENTIALS: '/AbCdEfGh1234'}, hidden: '/AbCdEfGh1234'},
	{env: {GOOGLE_CREDENTIALS: '~/AbCdEfGh1234'}, hidden: '~/AbCdEfGh1234'},
	{env: {AWS_SECRET_ACCESS_KEY: '/ab.cdefg/hi'}, hidden: '/ab.cdefg/hi'},
];

test.each(secret)('alarm for $args $env', ({args = [], env = {}, hidden = 'abc'}) => {
	expect(serverSecrets(stdioServer('x', args, env))).toContain(hidden);
	expect(inlineSecret('crm', {command: 'x', args, env})).toBeDefined();
});

test('what a reference stands for is no secret in the file', () => {
	expect(
		inlineSecret('crm', {
			command: 'x',
			args: ['--header', 'Authorization: Bearer ${CRM_TOKEN}', '-e', 'TOKEN=${TOKEN}'],
		}),
	).toBeUndefined();
});

test('headers of remote servers are hidden by the same rules', () => {
	const headers = {
		'X-Api-Key': 'abc',
		'X-Max-Tokens': '4096',
		Cookie: 'a=b',
		'X-Sort-Key': 'sorted',
		'X-Input-Tokens': 'counted',
	};
	expect(serverSecrets(remoteServer('https://mcp.example', {headers}))).toEqual([
		'abc',
		'a=b',
		'b',
		'sorted',
		'counted',
	]);
});

test.each([
	{arg: 'x-api-key:abc', variable: 'CRM_X_API_KEY', instead: 'x-api-key:${CRM_X_API_KEY}'},
	{
		arg: 'Authorization: Bearer abc',
		variable: 'CRM_AUTHORIZATION',
		instead: 'Authorization: Bearer ${CRM_AUTHORIZATION}',
	},
	{arg: '--token=abc', variable: 'CRM_TOKEN', instead: '--token=${CRM_TOKEN}'},
	{arg: 'GITHUB_TOKEN=abc', variable: 'GITHUB_TOKEN', instead: 'GITHUB_TOKEN=${GITHUB_TOKEN}'},
	{arg: 'ghp_abcdefghijklmnopqrstu', variable: 'CRM_TOKEN', instead: '${CRM_TOKEN}'},
])('what to write in the place of $arg: $instead', ({arg, variable, instead}) => {
	expect(inlineSecret('crm', {command: 'x', args: [arg]})).toEqual({
		where: 'an argument',
		variable,
		instead,
	});
});

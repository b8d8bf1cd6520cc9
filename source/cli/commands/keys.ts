import {type Command, Option} from 'commander';
import {usualEndpoints, type ApiEndpoint, type KeyBudget} from '../../core/api-keys/api-key.ts';
import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import {listOption, numberOption, spanOption} from '../console/options.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {openHome, type WritableHome} from '../home/open-home.ts';
import {
	budgetOption,
	endpointsOption,
	expiryOption,
	keyLockWaitMs,
	keyNameOption,
} from '../keys/key-options.ts';

type Json = {readonly json?: boolean};

type CreateOptions = Json & {
	readonly name?: string;
	readonly test?: boolean;
	readonly models?: readonly string[];
	readonly endpoints?: readonly ApiEndpoint[];
	readonly agents: 'yes' | 'no';
	readonly rpm?: number;
	readonly parallel?: number;
	readonly budget?: KeyBudget;
	readonly expires?: number;
};

const maxNumber = 1_000_000;

/** A day of both is enough for whoever has to put in the new one by hand. */
const usualOverlap = '24h';

/** `svc keys create|list|rotate|revoke`. @see manual/api-keys.md */
export function addKeyCommands(program: Command, context: Context): void {
	const group = program.command('keys').description('keys of the chat API');
	const open = async () => openHome(context, 'write', {lockWaitMs: keyLockWaitMs});

	group
		.command('create')
		.description('make a key and print it, once')
		.option('--name <name>', 'what it is for, at most 64 characters', keyNameOption)
		.option('--test', 'a key that reaches the offline model alone and delivers nothing')
		.option(
			'--models <ids>',
			'public models that it may use, comma-separated; * stands for any characters',
			listOption,
		)
		.option(
			'--endpoints <names>',
			'what it is for: chat, responses, models, approvals',
			endpointsOption,
		)
		.addOption(
			new Option('--agents <answer>', 'whether models that are agents may act for it')
				.choices(['yes', 'no'])
				.default('yes'),
		)
		.option('--rpm <n>', 'requests in a minute', numberOption(1, maxNumber))
		.option('--parallel <n>', 'requests at a time', numberOption(1, maxNumber))
		.option('--budget <tokens>', 'tokens in a day, week or month: 100000/day', budgetOption)
		.option(
			'--expires <when>',
			'its last day, by UTC, or a time with its offset',
			expiryOption(context.clock),
		)
		.option('--json', 'print JSON')
		.allowExcessArguments()
		.action(async ({json, ...options}: CreateOptions, command: Command) => {
			const words = command.args.join(' ');
			if (words !== '') {
				const name = /^[\w-]+$/.test(words) ? words : JSON.stringify(words);
				command.error(`error: too many words: to call the key so, use --name ${name}`);
			}

			await using home = await open();
			const url = await urlOf(home);
			const {key, secret} = await home.createKey(grantOf(options));
			sayOnce(context, {id: key.id, secret, json: json === true, url});
		});

	group
		.command('list')
		.description('list keys with what they may and what they used, oldest first')
		.option('--json', 'print JSON')
		.action(async ({json}: Json) => {
			await using home = await openHome(context, 'read');
			const keys = await home.listKeys();
			if (json) {
				printJson(context, keys);
				return;
			}

			const {keyTable} = await import('../keys/describe-keys.ts');
			await printTable(context, keyTable(keys, context.clock.now()));
		});

	group
		.command('rotate')
		.description(
			'make a new secret for a key and print it, once; the old one passes a while longer',
		)
		.argument('<id>', 'identifier of the key')
		.option(
			'--overlap <span>',
			'how long the old secret still passes; 0s: not at all',
			spanOption,
			spanOption(usualOverlap),
		)
		.option('--json', 'print JSON')
		.action(async (id: string, {overlap, json}: Json & {readonly overlap: number}) => {
			await using home = await open();
			const url = await urlOf(home);
			const minted = await home.rotateKey(id, {overlapMs: overlap});
			if (!minted) {
				throw notFound('rotate', id);
			}

			sayOnce(context, {id, secret: minted.secret, json: json === true, url});
		});

	group
		.command('revoke')
		.description('end a key at once, with its requests under way')
		.argument('<id>', 'identifier of the key')
		.option('--json', 'print JSON')
		.action(async (id: string, {json}: Json) => {
			await using home = await open();
			const key = await home.revokeKey(id);
			if (!key) {
				throw notFound('revoke', id);
			}

			if (json) {
				printJson(context, key);
			} else {
				printLines(context, [`Revoked ${key.id} (${key.hint})`]);
			}
		});
}

const grantOf = ({
	name = '',
	test,
	models,
	endpoints,
	agents,
	rpm,
	parallel,
	budget,
	expires,
}: CreateOptions) => ({
	name,
	kind: test ? ('test' as const) : ('live' as const),
	endpoints: endpoints ?? usualEndpoints,
	models: models && models.length > 0 ? models : ['*'],
	agents: agents === 'yes',
	...(rpm !== undefined && {rpm}),
	...(parallel !== undefined && {parallel}),
	...(budget && {budget}),
	...(expires !== undefined && {expiresAt: expires}),
});

/** Where the chat API listens, if it does now. */
async function urlOf({gateway}: WritableHome): Promise<string | undefined> {
	const api = (await gateway?.status())?.api;
	return api && 'url' in api ? api.url : undefined;
}

/** The secret is the result, alone on its line, so that a script may take it. */
function sayOnce(
	context: Context,
	{
		id,
		secret,
		json,
		url,
	}: {
		readonly id: string;
		readonly secret: string;
		readonly json: boolean;
		readonly url: string | undefined;
	},
): void {
	if (json) {
		printJson(context, {id, key: secret});
		return;
	}

	tell(context, `${id}: this key is shown once, keep it`);
	if (url !== undefined) {
		tell(context, `The chat API: ${url}/v1`);
	}

	printLines(context, [secret]);
}

const notFound = (act: string, id: string): SvcError =>
	new SvcError(
		'key_not_found',
		`Cannot ${act} "${id.slice(0, 100)}": no key in force has that identifier, see "svc keys list"`,
	);

import {type Command, Option} from 'commander';
import {
	usualEndpoints,
	type ApiEndpoint,
	type ApiKey,
	type KeyBudget,
} from '../../core/api-keys/api-key.ts';
import {keyActs, type MintedKey} from '../../nouns/key/key-acts.ts';
import {keyNoun} from '../../nouns/key/key.ts';
import type {Context} from '../console/context.ts';
import {listOption, numberOption} from '../console/options.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {openHome, type WritableHome} from '../home/open-home.ts';
import {
	budgetOption,
	endpointsOption,
	expiryOption,
	keyLockWaitMs,
	keyNameOption,
} from '../keys/key-options.ts';
import {addActs, addShow, printList} from '../nouns/noun-commands.ts';

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

/** `svc keys create|list|show|rotate|revoke`. @see manual/api-keys.md */
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
			const minted = await home.createKey(grantOf(options));
			sayOnce(context, {...minted, json: json === true, url: await urlOf(home)});
		});

	group
		.command('list')
		.description('list keys with what they may and what they used, oldest first')
		.option('--json', 'print JSON')
		.action(async ({json = false}: Json) => {
			await using home = await openHome(context, 'read');
			const items = await home.listKeys();
			await printList(context, keyNoun, {items, json, now: context.clock.now()});
		});
	addShow(group, context, {
		noun: keyNoun,
		says: 'show what one key may, and what it used',
		async read(id) {
			await using home = await openHome(context, 'read');
			const item = (await home.listKeys()).find(key => key.id === id);
			return item && {item, known: {now: context.clock.now()}};
		},
	});
	addActs<ApiKey, WritableHome, MintedKey>(group, context, {
		noun: keyNoun,
		acts: keyActs,
		open,
		async sayOnce(home, minted, json) {
			sayOnce(context, {...minted, json, url: await urlOf(home)});
		},
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
		key: {id},
		secret,
		json,
		url,
	}: MintedKey & {readonly json: boolean; readonly url: string | undefined},
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

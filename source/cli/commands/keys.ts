import type {Command} from 'commander';
import type {ApiKey} from '../../core/api-keys/api-key.ts';
import {keyActs, type MintedKey} from '../../nouns/key/key-acts.ts';
import {grantOf, keyFields} from '../../nouns/key/key-form.ts';
import {keyNoun} from '../../nouns/key/key.ts';
import type {Context} from '../console/context.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {changeLockWaitMs, openHome, type WritableHome} from '../home/open-home.ts';
import {addFieldOptions, fieldValues} from '../nouns/field-options.ts';
import {addActs, addShow, printList} from '../nouns/noun-commands.ts';

type Json = {readonly json?: boolean};

/** `svc keys create|list|show|rotate|revoke`. @see manual/api-keys.md */
export function addKeyCommands(program: Command, context: Context): void {
	const group = program.command('keys').description('keys of the chat API');
	const open = async () => openHome(context, 'write', {lockWaitMs: changeLockWaitMs});

	const fields = keyFields(context.clock.now());
	addFieldOptions(group.command('create').description('make a key and print it, once'), fields)
		.option('--json', 'print JSON')
		.allowExcessArguments()
		.action(
			async ({json, ...options}: Json & Readonly<Record<string, unknown>>, command: Command) => {
				const words = command.args.join(' ');
				if (words !== '') {
					const name = /^[\w-]+$/.test(words) ? words : JSON.stringify(words);
					command.error(`error: too many words: to call the key so, use --name ${name}`);
				}

				await using home = await open();
				const grant = grantOf(fieldValues(fields, options), context.clock.now());
				if ('problem' in grant) {
					command.error(`error: ${grant.problem}`);
				}

				// Before the key is made: what fails here must not lose a secret that is told once.
				const url = await urlOf(home);
				sayOnce(context, {...(await home.createKey(grant)), json: json === true, url});
			},
		);

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
			const url = await urlOf(home).catch(() => undefined);
			sayOnce(context, {...minted, json, url});
		},
	});
}

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

import type {Command} from 'commander';
import type {ApiKey} from '../../core/api-key.ts';
import {SvcError} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {keyActs, type MintedKey} from '../../nouns/key/key-acts.ts';
import {grantOf, keyFields} from '../../nouns/key/key-form.ts';
import {keyNoun} from '../../nouns/key/key.ts';
import type {Context} from '../console/context.ts';
import {jsonOption, type Json} from '../console/options.ts';
import {printJson, printLines, tell} from '../console/print.ts';
import {changeLockWaitMs, openHome, type WritableHome} from '../home/open-home.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addFieldOptions, fieldValues} from '../nouns/field-options.ts';
import {addList, addShow} from '../nouns/noun-commands.ts';

/** The key with this identifier, else the only one with this name. @throws SvcError `key_ambiguous` */
function oneKey(keys: readonly ApiKey[], typed: string): ApiKey | undefined {
	const named = keys.filter(({name}) => name === typed);
	const found = keys.find(({id}) => id === typed) ?? named[0];
	if (found?.id !== typed && named.length > 1) {
		throw new SvcError(
			'key_ambiguous',
			`Cannot tell which key "${escapeLine(typed, 100)}" is meant: use ${named.map(({id}) => id).join(' or ')}`,
		);
	}

	return found;
}

/** `svc keys create|list|show|rotate|revoke`. @see manual/api-keys.md */
export function addKeyCommands(program: Command, context: Context): void {
	const group = program.command('keys').description('keys of the chat API');
	const open = async () => openHome(context, 'write', {lockWaitMs: changeLockWaitMs});
	const read = async () => {
		await using home = await openHome(context, 'read');
		return await home.listKeys();
	};

	/** Prints the secret alone on its line, so that a script can take it. */
	const sayOnce = async (
		{gateway}: WritableHome,
		{key: {id}, secret}: MintedKey,
		json: boolean,
	) => {
		if (json) {
			printJson(context, {id, key: secret});
			return;
		}

		// A failure here must not lose the secret, which is shown only once.
		const {api} = (await gateway?.status().catch(() => undefined)) ?? {};
		tell(context, `${id}: this key is shown once, keep it`);
		if (api && 'url' in api) {
			tell(context, `The chat API: ${api.url}/v1`);
		}

		printLines(context, [secret]);
	};

	const fields = keyFields(context.clock.now());
	addFieldOptions(group.command('create').description('make a key and print it, once'), fields)
		.option(...jsonOption)
		.allowExcessArguments()
		.action(async ({json = false, ...options}: Json, command: Command) => {
			const words = command.args.join(' ');
			if (words !== '') {
				const name = /^[\w-]+$/.test(words) ? words : JSON.stringify(words);
				command.error(`error: too many words: to call the key so, use --name ${name}`);
			}

			await using home = await open();
			const grant = grantOf(fieldValues(fields, options), context.clock.now());
			await sayOnce(home, await home.createKey(grant), json);
		});

	addList(group, context, {
		noun: keyNoun,
		says: 'list keys with their rights and usage, oldest first',
		read,
	});
	addShow(group, context, {
		noun: keyNoun,
		says: 'show the rights and usage of one key',
		async read(id) {
			await using home = await openHome(context, 'read');
			const item = oneKey(await home.listKeys(), id);
			// Keys are shown without totals if an older gateway does not support them.
			const sums = item && (await home.sumRuns({by: 'key'}).catch(() => undefined));
			const runs = sums?.rows.find(({key}) => key === item?.name);
			return (
				item && {
					item,
					known: {sums},
					json: {...item, ...(runs && {runs})},
				}
			);
		},
	});
	addActs<ApiKey, WritableHome, MintedKey>(group, context, {
		noun: keyNoun,
		acts: keyActs,
		idOf: async (typed, home) => oneKey(await home.listKeys(), typed)?.id ?? typed,
		open,
		sayOnce,
	});
}

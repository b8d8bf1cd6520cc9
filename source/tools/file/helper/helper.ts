// The program that works on files for a run, inside of its sandbox: what a path may lead to is up to the sandbox alone.
import {messageOf, SvcError} from '../../../core/errors.ts';
import {makeChange, previewChange} from './change-file.ts';
import type {HelperAnswer, HelperAsk, HelperCall} from './contract.ts';
import {reasonOf} from './open-file.ts';
import {readFile} from './read-file.ts';
import {searchFiles} from './search-files.ts';

async function answer(ask: HelperAsk): Promise<Omit<HelperAnswer, 'id'>> {
	try {
		switch (ask.act) {
			case 'read':
				return {text: await readFile(ask)};

			case 'search':
				return {text: await searchFiles(ask)};

			case 'preview':
				return {text: '', preview: await previewChange(ask.change)};

			case 'change':
				return {text: await makeChange(ask.change, ask.basis)};
		}
	} catch (error) {
		const text =
			error instanceof SvcError
				? messageOf(error)
				: `Cannot ${verbs[ask.act]} ${JSON.stringify('path' in ask ? ask.path : ask.change.path)}: ${reasonOf(error)}`;
		return {text, isError: true};
	}
}

const verbs: Readonly<Record<HelperAsk['act'], string>> = {
	read: 'read',
	search: 'search',
	preview: 'change',
	change: 'change',
};

const lineFeed = 10;

let pieces: Buffer[] = [];
for await (const chunk of process.stdin) {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no encoding is set
	let rest = chunk as Buffer;
	for (let end = rest.indexOf(lineFeed); end !== -1; end = rest.indexOf(lineFeed)) {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- helper-process.ts alone writes there
		const {id, ...ask} = JSON.parse(
			Buffer.concat([...pieces, rest.subarray(0, end)]).toString(),
		) as HelperCall;
		pieces = [];
		rest = rest.subarray(end + 1);
		// oxlint-disable-next-line no-await-in-loop -- one call after the other
		const told: HelperAnswer = {id, ...(await answer(ask))};
		process.stdout.write(`${JSON.stringify(told)}\n`);
	}

	pieces.push(rest);
}

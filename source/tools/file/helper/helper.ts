// The program that works on files for a run, inside its sandbox: the sandbox alone decides which paths are accessible.
import {messageOf, SvcError} from '../../../core/errors.ts';
import {makeChange, previewChange} from './change-file.ts';
import {createLineCutter, type HelperAnswer, type HelperAsk, type HelperCall} from './contract.ts';
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
		const [verb, path] = 'change' in ask ? ['change', ask.change.path] : [ask.act, ask.path];
		const text =
			error instanceof SvcError
				? messageOf(error)
				: `Cannot ${verb} ${JSON.stringify(path)}: ${reasonOf(error)}`;
		return {text, isError: true};
	}
}

const lines = createLineCutter();
for await (const chunk of process.stdin) {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no encoding is set
	for (const line of lines.add(chunk as Buffer)) {
		// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- helper-process.ts alone writes there
		const {id, ...ask} = JSON.parse(line) as HelperCall;
		// oxlint-disable-next-line no-await-in-loop -- one call after the other
		const told: HelperAnswer = {id, ...(await answer(ask))};
		process.stdout.write(`${JSON.stringify(told)}\n`);
	}
}

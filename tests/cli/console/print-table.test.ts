import {PassThrough} from 'node:stream';
import stringWidth from 'string-width';
import {expect, test} from 'vitest';
import {printTable, type PrintedTable} from '../../../source/cli/console/print-table.ts';

const print = async (table: PrintedTable, columns?: number): Promise<readonly string[]> => {
	const stdout = new PassThrough();
	const stream = Object.assign(stdout, columns === undefined ? {} : {isTTY: true, columns});
	await printTable(
		{stdout: stream as unknown as NodeJS.WriteStream, stderr: process.stderr},
		table,
	);
	return String(stdout.read()).trimEnd().split('\n');
};

const table: PrintedTable = {
	header: ['ID', 'ROUTE', 'WHY'],
	rows: [
		['0123456789ab', 'r'.repeat(60), 'some reason '.repeat(10)],
		['0123456789cd', '日本'.repeat(30), 'short'],
	],
	empty: 'Nothing',
	whole: ['ID'],
};

test.for([40, 80, 120])('no line is wider than a terminal of %i columns', async columns => {
	const lines = await print(table, columns);
	expect(lines).toHaveLength(3);
	for (const line of lines) {
		expect(stringWidth(line)).toBeLessThanOrEqual(columns);
	}

	expect(lines[1]).toMatch(/^0123456789ab {2}r+… {2}some.*…$/);
});

test('in a pipe every value is whole', async () => {
	const [, first = '', second = ''] = await print(table);
	expect(first).toContain('r'.repeat(60));
	expect(second).toContain('日本'.repeat(30));
});

test('in a pipe a long value is whole too, and does not push those of other rows away', async () => {
	const long = 'x'.repeat(5000);
	const [, first = '', second = ''] = await print({
		...table,
		rows: [
			['1', long, 'why'],
			['2', 'short', 'because'],
		],
	});
	expect(first).toBe(`1   ${long}  why`);
	expect(second).toMatch(/^2 {3}short {197}because$/);
	const [, cut = ''] = await print({...table, rows: [['1', 'r', long]]}, 10_000);
	expect(cut).toHaveLength('1   r      '.length + 200);
});

test('columns that are typed again are cut only when there is no room for anything else', async () => {
	const [, line = ''] = await print(table, 24);
	expect(line).toMatch(/^0123456…/);
	expect(stringWidth(line)).toBeLessThanOrEqual(24);
});

test('columns that may go leave a narrow terminal, the first named first', async () => {
	const optional = {...table, optional: ['WHY', 'ROUTE']};
	const [wide = ''] = await print(optional, 120);
	expect(wide).toMatch(/^ID +ROUTE +WHY$/);
	const [narrow = ''] = await print(optional, 40);
	expect(narrow).toMatch(/^ID +ROUTE$/);
	const [narrowest = ''] = await print(optional, 20);
	expect(narrowest).toBe('ID');
});

import {expect, test} from 'vitest';
import {versionMismatch} from '../../source/core/program.ts';

test('two versions are told of, one is not, and a demo is of the version of its program', () => {
	expect(versionMismatch({gateway: '1.1.0', face: '1.0.0'})?.[0]).toMatch(
		/svc 1\.1\.0.*svc 1\.0\.0/,
	);
	for (const gateway of ['', '1.0.0', '1.0.0 demo']) {
		expect(versionMismatch({gateway, face: '1.0.0'})).toBeUndefined();
	}
});

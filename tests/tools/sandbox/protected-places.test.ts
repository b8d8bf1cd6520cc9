import {expect, test} from 'vitest';
import {protectedPlaces} from '../../../source/tools/sandbox/protected-places.ts';

test('what variables say stands elsewhere is out of reach there, too', () => {
	const places = protectedPlaces({
		userHome: '/home/ada',
		homes: ['/home/ada/.svc'],
		environment: {
			XDG_CONFIG_HOME: '/home/ada/cfg',
			XDG_DATA_HOME: 'relative',
			KUBECONFIG: '/k/one:/k/two',
			HISTFILE: '/home/ada/typed',
		},
	});

	expect(places).toEqual(
		expect.arrayContaining([
			'/home/ada/.config/gh',
			'/home/ada/cfg/gh',
			'/home/ada/cfg/rclone',
			'/home/ada/.local/share/keyrings',
			'/home/ada/.colima',
			'/home/ada/typed',
			'/k/one',
			'/k/two',
		]),
	);
	expect(places.filter(place => !place.startsWith('/'))).toEqual([]);
});

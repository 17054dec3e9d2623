import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';

type Intent = { begin: (address: string) => void; end: () => void };

/** For rows, which are not links: prepares the visit of an address as the router does for links. */
export function useIntent(): Intent {
  const router = useRouter();
  const intent = useMemo(
    () =>
      createIntent(
        (address) => void router.preloadRoute({ to: address }),
        router.options.defaultPreloadDelay,
      ),
    [router],
  );
  useEffect(() => intent.end, [intent]);
  return intent;
}

function createIntent(prepare: (address: string) => void, delay: number | undefined): Intent {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let intended: string | undefined;
  const end = () => {
    clearTimeout(timer);
    intended = undefined;
  };
  return {
    begin(address) {
      if (address === intended) return;
      end();
      intended = address;
      timer = setTimeout(prepare, delay, address);
    },
    end,
  };
}

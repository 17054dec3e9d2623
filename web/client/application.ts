import type { Application } from '../../src/api.ts';

/** Every operation of the application, typed by the service itself. */
export type { Application };

type AnswerOf<R extends Application['route']> = NonNullable<
  NonNullable<Extract<Application, { route: R }>['types']>['answers'] extends infer A ? A[keyof A] : never
>;

/** Who is signed in, where, and as what. */
export type Session = AnswerOf<'GET /session'> extends { data: infer Data } ? Data : never;

export type Role = Session['role'];
